"""The user's mistakes: one exception a kind, each message saying what, where and what to do."""


class StopruleError(ValueError):
    """Base of every error that a user can mend; the command line prints it as one line, exit status 2."""


class TrajectoryError(StopruleError):
    """Raised when a trajectory table cannot be read or is not sound."""


class RoleError(TrajectoryError):
    """Raised when what is said of the columns does not fit them, whatever stands in them."""


class RuleError(StopruleError):
    """Raised when a rule cannot be parsed, built or evaluated on a table."""


class SplitError(StopruleError):
    """Raised when the three splits cannot be made as asked."""


class CalibrationError(StopruleError):
    """Raised when a calibrated signal cannot be fitted or applied."""


class SearchError(StopruleError):
    """Raised when a search space is empty, unknown or too large."""


class SelectionError(StopruleError):
    """Raised when no candidate meets the policy."""


class StudyError(StopruleError):
    """Raised when a study file has an unknown key, a wrong value or a missing one."""


class LockError(StopruleError):
    """Raised when a lock or its look log is missing, changed or used against its terms."""
