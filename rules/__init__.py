"""What a stopping rule is: expression, text form, named rules, live stopper."""
