"""Every noun of the interface by PyPI twilio, as it is published; only the base address is changed."""

import sys

from twilio.base.exceptions import TwilioRestException
from twilio.request_validator import RequestValidator
from twilio.rest import Client
from twilio.twiml.voice_response import VoiceResponse

base_url, sid, token = sys.argv[1:]
client = Client(sid, token)
client.api.base_url = base_url


def check(name, value, expected):
    if value != expected:
        raise AssertionError(f"{name}: {value!r}, not {expected!r}")


def refused(name, code, call):
    try:
        call()
    except TwilioRestException as error:
        check(name, error.code, code)
    else:
        raise AssertionError(f"{name} was not refused")


response = VoiceResponse()
response.say("Hello")
made = [
    client.calls.create(to="client:alice", from_="client:bob", twiml=response).sid
    for _ in range(3)
]
check("calls.list", [call.sid for call in client.calls.list(page_size=2)], made[::-1])
check("calls.stream", len(list(client.calls.stream(page_size=1, limit=2))), 2)
page = client.calls.page(page_size=2)
check("calls.page", [call.sid for call in page], made[:0:-1])
check("calls.page.next", [call.sid for call in page.next_page()], made[:1])
check("calls.fetch", client.calls(made[0]).fetch().direction, "outbound-api")
check("calls.update", client.calls(made[0]).update(status="canceled").status, "canceled")
check("calls.delete", client.calls(made[0]).delete(), True)
refused("calls.fetch", 20404, client.calls(made[0]).fetch)
check("calls.events", client.calls(made[1]).events.list(), [])
check("calls.recordings", client.calls(made[1]).recordings.list(), [])
check("calls.notifications", client.calls(made[1]).notifications.list(), [])

text = client.messages.create(to="+14155550102", from_="+14155550101", body="x" * 200)
check("messages", (text.num_segments, text.status), ("2", "queued"))
check("messages.list", [one.sid for one in client.messages.list(to="+14155550102")], [text.sid])
check("messages.media", client.messages(text.sid).media.list(), [])
refused("messages.media", 20001, lambda: client.messages.create(
    to="+14155550102", from_="+14155550101", body="x", media_url=["https://app.test/a.png"]
))

offer = client.available_phone_numbers("US").local.list(area_code=415, limit=1)[0]
number = client.incoming_phone_numbers.create(phone_number=offer.phone_number)
check("numbers.capabilities", number.capabilities["voice"], True)
number = number.update(voice_url="https://app.test/voice")
check("numbers.fetch", client.incoming_phone_numbers(number.sid).fetch().voice_url,
      "https://app.test/voice")
check("numbers.local", len(client.incoming_phone_numbers.local.list()), 1)
check("numbers.delete", number.delete(), True)

application = client.applications.create(friendly_name="IVR", voice_url="https://app.test/voice")
check("applications.update", application.update(friendly_name="Menu").friendly_name, "Menu")
check("applications.list", len(client.applications.list(friendly_name="Menu")), 1)
check("applications.delete", application.delete(), True)

child = client.api.accounts.create(friendly_name="child")
check("accounts.list", len(client.api.accounts.list()), 2)
check("accounts.update", child.update(status="suspended").status, "suspended")

queue = client.queues.create(friendly_name="support", max_size=5)
check("queues.members", client.queues(queue.sid).members.list(), [])
check("queues.update", queue.update(max_size=6).max_size, 6)
check("queues.delete", queue.delete(), True)

participant = client.conferences("room").participants.create(
    to="client:alice", from_="client:bob", muted=True
)
check("participants.create", participant.muted, True)
check("conferences.list", client.conferences.list(), [])
check("recordings.list", client.recordings.list(), [])
check("transcriptions.list", client.transcriptions.list(), [])
check("notifications.list", len(client.notifications.list()) >= 0, True)

validation = client.validation_requests.create(phone_number="+14155550109")
check("validation_requests", validation.phone_number, "+14155550109")
check("validation_requests.code", len(validation.validation_code), 6)
caller_id = client.outgoing_caller_ids.list()[0]
check("outgoing_caller_ids", caller_id.update(friendly_name="Desk").friendly_name, "Desk")
check("outgoing_caller_ids.delete", caller_id.delete(), True)

trigger = client.usage.triggers.create(
    usage_category="sms", trigger_value="+5", callback_url="https://app.test/usage"
)
check("usage.triggers.update", trigger.update(friendly_name="texts").friendly_name, "texts")
check("usage.triggers.list", len(client.usage.triggers.list(usage_category="sms")), 1)
check("usage.triggers.delete", trigger.delete(), True)

address = client.addresses.create(
    customer_name="Ada", street="1 Main St", city="London", region="London",
    postal_code="N1", iso_country="GB",
)
check("addresses.update", address.update(city="Leeds").city, "Leeds")
check("addresses.delete", address.delete(), True)
check("tokens", client.tokens.create(ttl=600).ttl, "600")
check("balance", client.balance.fetch().balance, "-1.15")
usage = client.usage.records.list(category="phonenumbers")
check("usage", [record.count for record in usage], ["1"])
check("usage.daily", len(client.usage.records.daily.list(category="phonenumbers")), 1)

assert RequestValidator(token).validate("https://app.test/", {}, RequestValidator(
    token).compute_signature("https://app.test/", {}))
print("done")
