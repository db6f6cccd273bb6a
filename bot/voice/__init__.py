"""Speech to sound clips.

`HouseSpeaker` makes them on this machine, `Resilient` keeps its failures from the match, `NullSpeaker` is sound off.
Importing this costs next to nothing: models and sound libraries load with the first speech.
"""

from bot.voice.house import HouseSpeaker, voices
from bot.voice.resilient import NullSpeaker, Resilient
from bot.voice.speaker import (
    MEDIA,
    BaseVoice,
    Clip,
    Kind,
    Recording,
    Speaker,
    SpeakerError,
    UnspeakableError,
    Voice,
)
from bot.voice.text import spoken

__all__ = [
    "MEDIA",
    "BaseVoice",
    "Clip",
    "HouseSpeaker",
    "Kind",
    "NullSpeaker",
    "Recording",
    "Resilient",
    "Speaker",
    "SpeakerError",
    "UnspeakableError",
    "Voice",
    "spoken",
    "voices",
]
