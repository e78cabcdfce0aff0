// A phone of sipgo, with the media of diago: registers, answers or calls, plays one WAV file and
// records what it receives.
//
// Arguments: login password registrar plays.wav received.pcm [transport]. The registrar's address is its domain.
// A line `call URI` of its standard input makes a call; at the end of them it hangs up.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/emiago/diago"
	"github.com/emiago/diago/audio"
	"github.com/emiago/diago/media"
	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	login, password, registrar, plays, received := args[0], args[1], args[2], args[3], args[4]
	protocol := "udp"
	if len(args) > 5 {
		protocol = args[5]
	}
	agent, err := sipgo.NewUA(sipgo.WithUserAgent(login), sipgo.WithUserAgentHostname(registrar))
	if err != nil {
		return err
	}
	defer agent.Close()
	phone := diago.NewDiago(agent, diago.WithTransport(diago.Transport{
		Transport: protocol,
		BindHost:  "127.0.0.1",
	}))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	var calls sync.WaitGroup
	err = phone.ServeBackground(ctx, func(call *diago.DialogServerSession) {
		calls.Add(1)
		defer calls.Done()
		if err := call.Answer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		talk(call.Media(), plays, received)
		select {
		case <-call.Context().Done():
		case <-ended:
			call.Hangup(context.Background())
		}
	})
	if err != nil {
		return err
	}

	var domain sip.Uri
	transport := ""
	if protocol != "udp" {
		transport = ";transport=" + protocol
	}
	if err := sip.ParseUri("sip:"+login+"@"+registrar+transport, &domain); err != nil {
		return err
	}
	if err := register(ctx, phone, domain, login, password); err != nil {
		return err
	}

	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var uri sip.Uri
		if err := sip.ParseUri(strings.TrimPrefix(lines.Text(), "call ")+transport, &uri); err != nil {
			return err
		}
		call, err := phone.Invite(ctx, uri, diago.InviteOptions{
			Username: login,
			Password: password,
		})
		if err != nil {
			return err
		}
		defer call.Hangup(context.Background())
		talk(call.Media(), plays, received)
	}
	close(ended)
	calls.Wait()
	return lines.Err()
}

// register returns when the phone is registered, and keeps the registration alive.
func register(
	ctx context.Context, phone *diago.Diago, domain sip.Uri, login, password string,
) error {
	registered := make(chan struct{}, 1)
	failed := make(chan error, 1)
	try := func() {
		failed <- phone.Register(ctx, domain, diago.RegisterOptions{
			Username:     login,
			Password:     password,
			OnRegistered: func() { registered <- struct{}{} },
		})
	}
	go try()
	for {
		select {
		case <-registered:
			return nil
		case err := <-failed:
			// sipgo finds its own listener only a moment after it said that it listens.
			if !errors.Is(err, syscall.EADDRINUSE) {
				return err
			}
			time.Sleep(10 * time.Millisecond)
			go try()
		}
	}
}

// talk plays and records in the background until the call ends.
func talk(call *diago.DialogMedia, plays, received string) {
	go func() {
		playback, err := call.PlaybackCreate()
		if err == nil {
			_, err = playback.PlayFile(plays)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "cannot play:", err)
		}
	}()
	go func() {
		if err := record(call, received); err != nil {
			fmt.Fprintln(os.Stderr, "cannot record:", err)
		}
	}()
}

// record writes what the call receives as 16-bit samples.
func record(call *diago.DialogMedia, received string) error {
	file, err := os.Create(received)
	if err != nil {
		return err
	}
	defer file.Close()
	var props diago.MediaProps
	reader, err := call.AudioReader(diago.WithAudioReaderMediaProps(&props))
	if err != nil {
		return err
	}
	decoder, err := audio.NewPCMDecoderReader(props.Codec.PayloadType, reader)
	if err != nil {
		return err
	}
	_, err = media.Copy(decoder, file)
	return err
}
