"""How fast the built-in voice is, what it weighs and how long it holds up the event loop: `python -m bench.voice`."""

import asyncio
import resource
import statistics
import tempfile
import time
from pathlib import Path

from bot.voice import HouseSpeaker, Kind, Voice

SPEECH = (
    "The motion says that every city should make public transport free, and I will give you two reasons why it should "
    "not. First, free is never free: somebody pays, and the people who pay are often those who live too far away to "
    "ride. Second, people who walk or cycle today would take the bus instead, so the buses fill up while the roads do "
    "not empty."
)
VOICES = {
    "as it is": Voice(),
    "deep": Voice("british", 0.95, -9, 0.84, 0.9),
    "high": Voice("american", 1.1, 3, 0.95, 1.2),
}
FORMATS: dict[str, tuple[Kind, ...]] = {"Opus": ("ogg",), "MP3": ("mp3",), "both": ("ogg", "mp3")}
ROUNDS = 5


def memory() -> float:
    """Resident megabytes of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def heartbeat(lags: list[float]) -> None:
    """Notes by how many milliseconds the event loop was late, every 2 ms."""
    while True:
        start = time.perf_counter()
        await asyncio.sleep(0.002)
        lags.append((time.perf_counter() - start) * 1e3 - 2)


def lateness(lags: list[float]) -> str:
    """The lags as a line, and forget them."""
    line = f"loop late by {statistics.median(lags):.1f} ms (median), {max(lags):.1f} ms (worst)"
    lags.clear()
    return line


async def main() -> None:
    lags: list[float] = []
    heart = asyncio.create_task(heartbeat(lags))
    await asyncio.sleep(0.2)
    print(f"idle: {lateness(lags)}")

    before, start = memory(), time.perf_counter()
    speaker = HouseSpeaker()
    await speaker.warm()
    print(f"loading: {time.perf_counter() - start:.2f} s, {memory() - before:.0f} MB; {lateness(lags)}")

    with tempfile.TemporaryDirectory() as folder:
        for name, voice in VOICES.items():
            for label, kinds in FORMATS.items():
                seconds, size, wall, cpu = 0.0, 0, time.perf_counter(), time.process_time()
                for round_ in range(ROUNDS):
                    clip = await speaker.speak(SPEECH, voice, Path(folder) / f"{round_}", kinds)
                    seconds += clip.seconds
                    size += clip.files[0].size
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                print(
                    f"{name}, {label}: {seconds / cpu:.0f} clip seconds per CPU second, {seconds / wall:.0f} times real"
                    f" time, {wall / ROUNDS:.2f} s for a clip of {seconds / ROUNDS:.0f} s"
                    f" ({size / seconds * 8 / 1000:.0f} kbit/s); {lateness(lags)}"
                )
    print(f"memory with everything used: {memory() - before:.0f} MB more than without a voice")
    heart.cancel()
    await speaker.close()


if __name__ == "__main__":
    asyncio.run(main())
