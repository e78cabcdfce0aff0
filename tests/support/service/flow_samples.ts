/** A flow that reads a customer number, looks the customer up, greets and connects. */
export const callCentre = {
  start: "ask",
  variables: { tries: "0" },
  steps: {
    ask: {
      type: "gather",
      prompts: [{ say: "Please type your customer number, $CallerName" }],
      numDigits: 4,
      noInput: "ask",
      branches: [{ digits: "0", next: "operator" }],
      next: "lookUp",
    },
    lookUp: {
      type: "externalService",
      url: "https://crm.test/customers/$Digits",
      parameters: [{ name: "caller", value: "$From" }],
      extract: { name: "customer.name", agent: "customer.agents.0" },
      onRemoteError: "sorry",
      next: "greet",
    },
    greet: { type: "say", text: "Hello $name", next: "known" },
    known: {
      type: "control",
      conditions: [{ variable: "agent", is: "notEmpty", next: "connect" }],
      next: "operator",
    },
    connect: {
      type: "dial",
      to: [{ client: "$agent" }],
      timeout: 20,
      onFailure: "message",
      next: "bye",
    },
    operator: { type: "dial", to: [{ number: "+15550100" }] },
    message: { type: "record", maxLength: 60, next: "mail" },
    mail: {
      type: "email",
      from: "calls@app.test",
      to: "$agent@app.test",
      subject: "A message of $name",
      text: "$RecordingUrl",
      next: "bye",
    },
    sorry: { type: "say", text: "We cannot find you: $ServiceStatus", next: "bye" },
    bye: { type: "hangup" },
  },
};
