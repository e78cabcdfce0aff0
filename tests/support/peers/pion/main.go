// A WebRTC peer by pion: it sends a tone and reports the amplitude of the tone that it receives.
//
// Its standard input and output carry one session description each way, as lines of JSON. After that
// it writes a line for each change of its state and for each quarter of a second of audio.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
)

const rate = 8000

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func say(value any) {
	line, err := json.Marshal(value)
	check(err)
	fmt.Println(string(line))
}

// G.711 µ-law (ITU-T G.711).
func encode(sample float64) byte {
	value := int(sample)
	sign := 0
	if value < 0 {
		value, sign = -value, 0x80
	}
	value = min(value, 32635) + 132
	exponent := 7
	for mask := 0x4000; exponent > 0 && value&mask == 0; mask >>= 1 {
		exponent--
	}
	return ^byte(sign | exponent<<4 | value>>(exponent+3)&0x0f)
}

func decode(code byte) float64 {
	code = ^code
	value := (int(code&0x0f)<<3+132)<<(code>>4&7) - 132
	if code&0x80 != 0 {
		value = -value
	}
	return float64(value)
}

// The amplitude of one frequency (Goertzel).
func amplitude(hz int, samples []float64) float64 {
	w := 2 * math.Cos(2*math.Pi*float64(hz)/rate)
	a, b := 0.0, 0.0
	for _, sample := range samples {
		a, b = sample+w*a-b, a
	}
	return 2 * math.Sqrt(math.Max(0, a*a+b*b-w*a*b)) / float64(len(samples))
}

func listen(track *webrtc.TrackRemote, hz int) {
	var samples []float64
	for {
		packet, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		for _, code := range packet.Payload {
			samples = append(samples, decode(code))
		}
		for len(samples) >= rate/4 {
			say(map[string]any{"hears": hz, "amplitude": amplitude(hz, samples[:rate/4])})
			samples = samples[rate/4:]
		}
	}
}

func speak(track *webrtc.TrackLocalStaticSample, hz int) {
	at := 0
	for range time.Tick(20 * time.Millisecond) {
		frame := make([]byte, rate/50)
		for i := range frame {
			frame[i] = encode(8000 * math.Sin(2*math.Pi*float64(hz)*float64(at)/rate))
			at++
		}
		_ = track.WriteSample(media.Sample{Data: frame, Duration: 20 * time.Millisecond})
	}
}

func main() {
	// Arguments: offer or answer, and what it says and listens for, in Hz.
	offers := os.Args[1] == "offer"
	says, err := strconv.Atoi(os.Args[2])
	check(err)
	hears, err := strconv.Atoi(os.Args[3])
	check(err)

	codecs := &webrtc.MediaEngine{}
	pcmu := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMU, ClockRate: rate}
	check(codecs.RegisterCodec(
		webrtc.RTPCodecParameters{RTPCodecCapability: pcmu, PayloadType: 0},
		webrtc.RTPCodecTypeAudio,
	))
	interceptors := &interceptor.Registry{}
	check(webrtc.RegisterDefaultInterceptors(codecs, interceptors))
	settings := webrtc.SettingEngine{}
	settings.SetIncludeLoopbackCandidate(true)
	settings.SetInterfaceFilter(func(name string) bool { return name == "lo" })
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	api := webrtc.NewAPI(
		webrtc.WithMediaEngine(codecs),
		webrtc.WithInterceptorRegistry(interceptors),
		webrtc.WithSettingEngine(settings),
	)
	peer, err := api.NewPeerConnection(webrtc.Configuration{})
	check(err)
	track, err := webrtc.NewTrackLocalStaticSample(pcmu, "audio", "pion")
	check(err)
	_, err = peer.AddTrack(track)
	check(err)
	peer.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { listen(track, hears) })
	peer.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		say(map[string]any{"state": state.String()})
		if state == webrtc.PeerConnectionStateConnected {
			go speak(track, says)
		}
	})

	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	read := func(kind webrtc.SDPType) {
		var description struct{ SDP string }
		if !lines.Scan() {
			os.Exit(0)
		}
		check(json.Unmarshal(lines.Bytes(), &description))
		check(peer.SetRemoteDescription(webrtc.SessionDescription{Type: kind, SDP: description.SDP}))
	}
	describe := func(description webrtc.SessionDescription) {
		gathered := webrtc.GatheringCompletePromise(peer)
		check(peer.SetLocalDescription(description))
		<-gathered
		say(map[string]any{"sdp": peer.LocalDescription().SDP})
	}
	if offers {
		offer, err := peer.CreateOffer(nil)
		check(err)
		describe(offer)
		read(webrtc.SDPTypeAnswer)
	} else {
		read(webrtc.SDPTypeOffer)
		answer, err := peer.CreateAnswer(nil)
		check(err)
		describe(answer)
	}
	// It ends with its standard input.
	lines.Scan()
	_ = peer.Close()
}
