"""Makes the pictures of the README: `make pictures`.

Starts a covey of its own in a temporary folder, fills it with the pages in docs/pictures/wiki, lets
an agent recall and file, and photographs what a person sees. Needs a Chromium (apt install
chromium, or CHROMIUM=/path/to/it).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/pictures"
WIKI = "handbook"
CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
# Without them Chromium asks hosts of its maker for things of its own.
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SIZE = (1360, 850)
MAX_BYTES = 200_000

INSIGHTS = (
    (
        "nightly-backup-fails",
        "After a broken run the lock file `/srv/staging/.running` stays behind, and the next "
        "backup ends at once "
        "with status 75. Remove it before you start the service again.",
        "ticket-1042",
    ),
    (
        "package-mirror",
        "The mirror drops answers above 64 MiB; fetch large wheels in parts.",
        "ticket-1077",
    ),
)
QUESTIONS = (
    "Why does the nightly backup fail with no space left on device?",
    "No dump was uploaded during the night",
    "What fills /srv/staging?",
)


class Running(NamedTuple):
    address: str
    password: str
    environment: dict[str, str]

    def command(self, *words: str) -> str:
        run = [sys.executable, "manage.py", *words]
        return subprocess.run(
            run, cwd=ROOT, env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout.strip()


@contextmanager
def running_covey() -> Iterator[Running]:
    """A new installation with the defaults, whatever .env says; stopped and removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="covey-pictures-"))
    # Run as root, the database is given to another user, who has to get in.
    folder.chmod(0o711)
    given = {name: value for name, value in os.environ.items() if not name.startswith("COVEY_")}
    own = {
        "COVEY_DATA_DIR": str(folder / "var"),
        "COVEY_PORT": "0",
        "COVEY_ENV_FILE": str(folder / "none"),
    }
    environment = {**given, **own, "DATABASE_URL": "", "SECRET_KEY": ""}
    up = [sys.executable, "manage.py", "up", "--no-demo"]
    process = subprocess.Popen(
        up, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout
        password, said = "", []
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"user admin, password (\S+)", line):
                password = found[1]
            if ready := re.search(r"covey is ready: (\S+)", line):
                yield Running(ready[1], password, environment)
                break
        else:
            raise SystemExit("".join(said))
    finally:
        process.terminate()
        process.communicate(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def fill(covey: Running) -> None:
    covey.command("import_pages", str(PICTURES / "wiki"), "--wiki", WIKI)
    token = covey.command("create_token", "robin", "--wiki", WIKI)
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{covey.address}/api/v1/", headers=headers, timeout=30) as agent:
        for page, text, source in INSIGHTS:
            insight = {"page": page, "text": text, "source": source}
            agent.post("insights", json=insight).raise_for_status()
        for question in QUESTIONS:
            recall = (
                agent.post("recall", json={"query": question, "mode": "hybrid"})
                .raise_for_status()
                .json()
            )
            mark = {"page": "nightly-backup-fails", "useful": True}
            agent.post(f"recalls/{recall['id']}/marks", json=mark).raise_for_status()
    covey.command("maintain", "--now")


@contextmanager
def signed_in(browser: Browser, covey: Running, *, dark: bool = False) -> Iterator[Page]:
    context = browser.new_context(
        base_url=covey.address,
        viewport={"width": SIZE[0], "height": SIZE[1]},
        device_scale_factor=1.25,
        color_scheme="dark" if dark else "light",
        locale="en",
        reduced_motion="reduce",
    )
    context.set_default_timeout(15_000)
    screen = context.new_page()
    screen.goto("/login")
    screen.get_by_label("User name").fill("admin")
    screen.get_by_label("Password").fill(covey.password)
    screen.get_by_role("button", name="Sign in").click()
    screen.wait_for_load_state("networkidle")
    yield screen
    context.close()


def name_the_wiki(screen: Page) -> None:
    screen.goto(f"/w/{WIKI}/settings")
    screen.get_by_label("Name").fill("Operations handbook")
    screen.get_by_label("Language of the texts").select_option("en")
    screen.get_by_role("button", name="Save").click()
    screen.wait_for_load_state("networkidle")


def photograph(screen: Page, name: str) -> None:
    """Keeps what the window shows, in 128 colours, which is what the screens have."""
    screen.wait_for_load_state("networkidle")
    picture = Image.open(BytesIO(screen.screenshot())).convert("RGB")
    file = PICTURES / f"{name}.png"
    picture.quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    size = file.stat().st_size
    print(f"{file.relative_to(ROOT)}: {picture.width} x {picture.height}, {size:,} bytes")
    assert size < MAX_BYTES, f"{file} is too large for a README"


def take_page(screen: Page) -> None:
    screen.goto(f"/w/{WIKI}/nightly-backup-fails")
    photograph(screen, "page")


def take_writing(screen: Page) -> None:
    screen.goto(f"/w/{WIKI}/when-the-pipeline-is-red/edit")
    text = screen.get_by_label("Text", exact=True)
    text.press("Control+Home")
    text.press("End")
    text.press_sequentially(" It waits for the [[mo", delay=40)
    screen.locator("#proposals [role=option]").first.wait_for()
    # The preview follows what is typed after a moment.
    screen.get_by_role("paragraph").filter(has_text="It waits for").wait_for()
    screen.get_by_text("Kept as a draft").wait_for()
    photograph(screen, "writing")


def take_merge(screen: Page) -> None:
    screen.goto(f"/w/{WIKI}/merges")
    screen.locator(f"main a[href*='/w/{WIKI}/merges/']").first.click()
    screen.wait_for_url(re.compile(r"/merges/\d+"))
    photograph(screen, "merge")


def take_search(screen: Page) -> None:
    screen.goto(f"/w/{WIKI}/when-the-pipeline-is-red")
    screen.keyboard.press("Control+k")
    screen.keyboard.type("build run", delay=40)
    screen.locator("#palette [role=option]").first.wait_for()
    photograph(screen, "search")


def take_map(screen: Page) -> None:
    screen.goto(f"/w/{WIKI}/map")
    photograph(screen, "map")


def make_pictures() -> None:
    if not CHROMIUM:
        raise SystemExit(
            "There is no Chromium here: apt install chromium, or CHROMIUM=/path/to/it."
        )
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with running_covey() as covey, sync_playwright() as playwright:
        fill(covey)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *sandbox])
        with signed_in(browser, covey) as screen:
            name_the_wiki(screen)
            take_page(screen)
            take_writing(screen)
            take_merge(screen)
            take_search(screen)
        with signed_in(browser, covey, dark=True) as screen:
            take_map(screen)
        browser.close()


if __name__ == "__main__":
    make_pictures()
