// The OTLP receiver of the OpenTelemetry Collector. It listens at the address of its argument and
// writes what comes to standard output, a line of OTLP in JSON for each export.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(address string) error {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	protocols := map[string]any{"http": map[string]any{"endpoint": address}}
	conf := confmap.NewFromStringMap(map[string]any{"protocols": protocols})
	if err := conf.Unmarshal(config); err != nil {
		return err
	}
	marshaler := ptrace.JSONMarshaler{}
	traces, err := consumer.NewTraces(func(_ context.Context, spans ptrace.Traces) error {
		line, err := marshaler.MarshalTraces(spans)
		fmt.Println(string(line))
		return err
	})
	if err != nil {
		return err
	}
	settings := receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings(),
	}
	ctx := context.Background()
	otlp, err := factory.CreateTraces(ctx, settings, config, traces)
	if err != nil {
		return err
	}
	if err := otlp.Start(ctx, componenttest.NewNopHost()); err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	return otlp.Shutdown(ctx)
}
