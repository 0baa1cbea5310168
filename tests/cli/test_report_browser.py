"""The report in a headless Chromium, from a file: it draws, answers to pointer and keyboard, and says no error."""

import shutil
from pathlib import Path

import pytest
from stoprule.cli.reporting import report_folder

from .small_study import made, written

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("charts")]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("headless", "no-sandbox", "disable-gpu", "disable-background-networking", "no-first-run")


@pytest.fixture(scope="module")
def chrome(tmp_path_factory):
    """A browser with an empty profile."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = next(path for path in map(shutil.which, CHROMIUM) if path)
    for flag in (*FLAGS, f"user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """The report of a small study."""
    return report_folder(made(written(tmp_path_factory.mktemp("study")).parent).out)


class Reader:
    """A page in the browser, and what a reader does with it."""

    def __init__(self, chrome, page: Path, *, width: int = 1200, dark: bool = False) -> None:
        self.chrome = chrome
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        chrome.get(page.as_uri())
        self.wait("return document.documentElement.dataset.ready === 'true'")

    def run(self, script: str, *arguments):
        return self.chrome.execute_script(script, *arguments)

    def wait(self, script: str) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.chrome, 60).until(lambda chrome: chrome.execute_script(script))

    def one(self, selector: str):
        from selenium.webdriver.common.by import By

        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    def many(self, selector: str):
        from selenium.webdriver.common.by import By

        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    @property
    def rows(self) -> list[dict]:
        return self.run("return JSON.parse(document.getElementById('data').textContent).rows")

    def at(self, i: int):
        """The pointer at a point of the frontier."""
        from selenium.webdriver.common.action_chains import ActionChains

        points = self.many("#chart-frontier .mark-symbol.role-mark path[aria-roledescription='circle']")
        self.run("arguments[0].scrollIntoView({block: 'center'})", points[i])
        return ActionChains(self.chrome).move_to_element(points[i])

    def press(self, selector: str, key: str) -> None:
        from selenium.webdriver.common.keys import Keys

        self.one(selector).send_keys(getattr(Keys, key))


@pytest.fixture
def reader(chrome, page) -> Reader:
    return Reader(chrome, page)


class TestReport:
    def test_draws_without_a_word_on_the_console(self, reader):
        """Every chart is there; nothing is reported, nothing was asked of a network."""
        assert len(reader.many(".chart svg")) == 3
        assert reader.chrome.get_log("browser") == []
        assert reader.run("return performance.getEntriesByType('resource').length") == 0

    def test_shows_the_rule_under_the_pointer(self, reader):
        """Rule, quality, calls, stability where it is known, aliases."""
        row = reader.rows[1]
        reader.at(1).perform()
        reader.wait("return !document.getElementById('tip').hidden")
        shown = reader.one("#tip").text
        assert row["rule"] in shown
        assert f"{row['quality']:.2f}" in shown
        assert f"{row['calls']:.3f}" in shown
        assert "aliases" in shown
        assert ("stability" in shown) == (row["stability"] is not None)

    def test_shows_stop_rounds_and_cells_of_the_rule_that_is_clicked(self, reader):
        """In the panel below, and marked in the table."""
        row = reader.rows[2]
        reader.at(2).click().perform()
        panel = reader.one("#chosen")
        assert panel.get_attribute("data-chosen") == row["rule"]
        for told in (row["rule"], "Stop rounds", "By cell", "dense", "lexical"):
            assert told in panel.text
        assert row["rule"] in reader.one("#front-table tr[aria-current]").text

    def test_shows_the_rule_that_is_chosen_by_keyboard(self, reader):
        """From the table behind the chart."""
        reader.press("#front-table tbody tr:first-child button", "ENTER")
        assert reader.one("#chosen").get_attribute("data-chosen") == reader.rows[0]["rule"]

    def test_moves_the_choice_with_the_budget(self, reader):
        """The best rule within it, from the keyboard: the cheapest at one end, the best at the other."""
        rows = reader.rows
        for key, best in (("HOME", rows[0]), ("END", max(rows, key=lambda row: row["quality"]))):
            reader.press("#budget", key)
            assert best["rule"] in reader.one("#best").text
            assert reader.one("#chosen").get_attribute("data-chosen") == best["rule"]
        reader.press("#budget", "ARROW_LEFT")
        budget = float(reader.one("#budget-value").text)
        within = [row for row in rows if row["cost"] <= budget + 1e-9]
        assert max(within, key=lambda row: row["quality"])["rule"] in reader.one("#best").text

    def test_sorts_tables(self, reader):
        """By number and back, a missing figure last; the head says how."""
        heads = [each.text.split("\N{NO-BREAK SPACE}")[0] for each in reader.many("#front-table th")]
        place = heads.index("calls")
        for order in ("descending", "ascending"):
            reader.many("#front-table th button")[heads[:place].count("") * -1 + place].click()
            values = [float(each.text) for each in reader.many(f"#front-table td:nth-child({place + 1})")]
            assert values == sorted(values, reverse=order == "descending")
            assert reader.one("#front-table th[aria-sort]").get_attribute("aria-sort") == order

    @pytest.mark.parametrize("width", [360, 1200])
    def test_fits_its_window(self, chrome, page, width):
        """Nothing but a table's own box scrolls sideways."""
        reader = Reader(chrome, page, width=width)
        assert reader.run("return document.documentElement.scrollWidth") <= width

    @pytest.mark.parametrize("dark", [False, True])
    def test_can_be_read_in_light_and_dark(self, chrome, page, dark):
        """Every text, of the page and of the charts, has a contrast of 4.5 at least to what is behind it (AA)."""
        reader = Reader(chrome, page, dark=dark)
        assert reader.run(CONTRASTS) == []


CONTRASTS = """
const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const parsed = (colour) => colour.match(/[\\d.]+/g).map(Number);
const behind = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const colour = parsed(getComputedStyle(each).backgroundColor);
    if (colour.length < 4 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
const written = [...document.querySelectorAll("body *")].filter((element) =>
  !element.closest("script, style, noscript, [hidden]") &&
  [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
return written.flatMap((element) => {
  const style = getComputedStyle(element);
  const ink = parsed(element.closest("svg") ? style.fill : style.color);
  const [light, dark] = [luminance(ink), luminance(behind(element))].sort((a, b) => b - a);
  const contrast = (light + 0.05) / (dark + 0.05);
  return contrast < 4.5 ? [`${element.tagName} ${element.textContent.slice(0, 40)}: ${contrast.toFixed(2)}`] : [];
});
"""
