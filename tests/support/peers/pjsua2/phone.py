"""A phone of PJSUA2: registers, answers or calls, plays one WAV file and records what it receives.

Arguments: login password registrar plays.wav received.pcm [transport [srtp] [late]]. The registrar's address
is its domain. With "srtp" it insists on SDES-SRTP; with "late" its calls bring no offer. A line `call URI` of its
standard input makes a call; at the end of them it hangs up.
"""
import sys
import threading
import time
import pjsua2 as pj

login, password, registrar, plays, received, *options = sys.argv[1:]
protocol, *flags = options or ["udp"]
calls = []


class Recorder(pj.AudioMediaPort):
    """Writes each frame as it comes; PJSUA2's own recorder writes its file at the end."""

    def __init__(self):
        super().__init__()
        self.file = open(received, "wb", buffering=0)
        form = pj.MediaFormatAudio()
        form.init(pj.PJMEDIA_FORMAT_PCM, 8000, 1, 20000, 16)
        self.createPort("recorder", form)

    def onFrameReceived(self, frame):
        self.file.write(bytes(frame.buf))


class Call(pj.Call):
    def onCallMediaState(self, prm):
        info = self.getInfo()  # its media are gone with it
        for index, media in enumerate(info.media):
            if media.type == pj.PJMEDIA_TYPE_AUDIO and media.status == pj.PJSUA_CALL_MEDIA_ACTIVE:
                audio = self.getAudioMedia(index)
                player.startTransmit(audio)
                audio.startTransmit(recorder)

    def onCallState(self, prm):
        info = self.getInfo()
        print(f"call {info.stateText} {info.lastStatusCode}", flush=True)


class Account(pj.Account):
    def onRegState(self, prm):
        print(f"registered {prm.code}", flush=True)

    def onIncomingCall(self, prm):
        call = Call(self, prm.callId)
        calls.append(call)
        answer = pj.CallOpParam()
        answer.statusCode = 200
        call.answer(answer)


endpoint = pj.Endpoint()
endpoint.libCreate()
config = pj.EpConfig()
config.logConfig.level = config.logConfig.consoleLevel = 0
config.uaConfig.threadCnt = 0
config.uaConfig.mainThreadOnly = True
config.medConfig.clockRate = 8000
config.medConfig.noVad = True
config.medConfig.sndAutoCloseTime = -1
endpoint.libInit(config)
endpoint.audDevManager().setNullDev()
transport = pj.TransportConfig()
transport.boundAddress = "127.0.0.1"
protocols = {
    "udp": pj.PJSIP_TRANSPORT_UDP,
    "tcp": pj.PJSIP_TRANSPORT_TCP,
    "tls": pj.PJSIP_TRANSPORT_TLS,
}
endpoint.transportCreate(protocols[protocol], transport)
endpoint.libStart()
player, recorder = pj.AudioMediaPlayer(), Recorder()
player.createPlayer(plays)

settings = pj.AccountConfig()
settings.idUri = f"sip:{login}@{registrar}"
settings.regConfig.registrarUri = f"sip:{registrar};transport={protocol}"
settings.sipConfig.authCreds.append(pj.AuthCredInfo("digest", "*", login, 0, password))
settings.mediaConfig.transportConfig.boundAddress = "127.0.0.1"
if "srtp" in flags:
    settings.mediaConfig.srtpUse = pj.PJMEDIA_SRTP_MANDATORY
account = Account()
account.create(settings)

ended = threading.Event()
called = []


def read():
    for line in sys.stdin:
        called.append(line.removeprefix("call ").strip())
    ended.set()


threading.Thread(target=read, daemon=True).start()
while not ended.is_set():
    endpoint.libHandleEvents(10)
    time.sleep(0.001)
    if called:
        calls.append(Call(account))
        options = pj.CallOpParam(True)
        if "late" in flags:
            options.opt.flag |= pj.PJSUA_CALL_NO_SDP_OFFER
        calls[-1].makeCall(f"{called.pop()};transport={protocol}", options)
endpoint.hangupAllCalls()
for _ in range(20):
    endpoint.libHandleEvents(20)
del player, recorder
calls.clear()
account.shutdown()
endpoint.libDestroy()
