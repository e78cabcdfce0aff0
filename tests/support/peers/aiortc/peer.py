"""A WebRTC peer by aiortc: it sends a tone and reports the amplitude of the tone that it receives.

Its standard input and output carry one session description each way, as lines of JSON. After that it
writes a line for each change of its state and for each quarter of a second of audio.

Arguments: offer or answer, and what it says and listens for, in Hz.
"""

import array
import asyncio
import fractions
import json
import math
import sys
import time

import av
import aioice.ice
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import AudioStreamTrack, MediaStreamError

# Nothing leaves this machine.
aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]

RATE = 8000
FRAME = RATE // 50


def say(**value):
    print(json.dumps(value), flush=True)


def amplitude(hz, samples):
    """The amplitude of one frequency (Goertzel)."""
    w = 2 * math.cos(2 * math.pi * hz / RATE)
    a = b = 0.0
    for sample in samples:
        a, b = sample + w * a - b, a
    return 2 * math.sqrt(max(0.0, a * a + b * b - w * a * b)) / len(samples)


class Tone(AudioStreamTrack):
    def __init__(self, hz):
        super().__init__()
        self.hz, self.at, self.began = hz, 0, None

    async def recv(self):
        self.began = self.began or time.monotonic()
        await asyncio.sleep(max(0, self.began + self.at / RATE - time.monotonic()))
        samples = array.array(
            "h",
            (
                round(8000 * math.sin(2 * math.pi * self.hz * (self.at + i) / RATE))
                for i in range(FRAME)
            ),
        )
        frame = av.AudioFrame(format="s16", layout="mono", samples=FRAME)
        frame.planes[0].update(samples.tobytes())
        frame.sample_rate, frame.pts, frame.time_base = RATE, self.at, fractions.Fraction(1, RATE)
        self.at += FRAME
        return frame


async def listen(track, hz):
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    samples = array.array("h")
    try:
        while True:
            for frame in resampler.resample(await track.recv()):
                samples.frombytes(bytes(frame.planes[0])[: frame.samples * 2])
            while len(samples) >= RATE // 4:
                say(hears=hz, amplitude=amplitude(hz, samples[: RATE // 4]))
                samples = samples[RATE // 4 :]
    except MediaStreamError:
        pass


async def main():
    offers, says, hears = sys.argv[1] == "offer", int(sys.argv[2]), int(sys.argv[3])
    loop = asyncio.get_running_loop()
    peer = RTCPeerConnection()
    peer.addTrack(Tone(says))
    tasks = []
    peer.on("track", lambda track: tasks.append(asyncio.ensure_future(listen(track, hears))))
    peer.on("connectionstatechange", lambda: say(state=peer.connectionState))

    async def read(kind):
        line = await loop.run_in_executor(None, sys.stdin.readline)
        await peer.setRemoteDescription(RTCSessionDescription(json.loads(line)["sdp"], kind))

    if offers:
        await peer.setLocalDescription(await peer.createOffer())
        say(sdp=peer.localDescription.sdp)
        await read("answer")
    else:
        await read("offer")
        await peer.setLocalDescription(await peer.createAnswer())
        say(sdp=peer.localDescription.sdp)
    # It ends with its standard input.
    await loop.run_in_executor(None, sys.stdin.readline)
    await peer.close()


asyncio.run(main())
