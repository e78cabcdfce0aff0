"""A program on a client that openapi-python-client makes of the description."""

import base64
import json
import sys

from switchboard_client.api.application import (
    create_application,
    delete_application,
    list_applications,
    read_application,
    update_application,
)
from switchboard_client.api.call import list_calls
from switchboard_client.client import AuthenticatedClient
from switchboard_client.models import (
    ApplicationCreate,
    ApplicationCreateKind,
    ApplicationUpdate,
    Error,
)

base_url, account, token = sys.argv[1:]
credentials = base64.b64encode(f"{account}:{token}".encode()).decode()
client = AuthenticatedClient(base_url=base_url, token=credentials, prefix="Basic")

sids = []
for name in ["one", "two", "three"]:
    body = ApplicationCreate(friendly_name=name, kind=ApplicationCreateKind.VOICE)
    sids.append(create_application.sync(account, client=client, body=body).sid)


def page(**query):
    found = list_applications.sync(account, client=client, page_size=2, **query)
    return [one.friendly_name for one in found if one.sid in sids]


first = page()
second = page(after_sid=sids[1])
changes = ApplicationUpdate(friendly_name="ONE", voice_caller_id_lookup=True)
updated = update_application.sync(account, sids[0], client=client, body=changes)
calls = list_calls.sync(account, client=client)
deleted = delete_application.sync_detailed(account, sids[0], client=client)
error = read_application.sync(account, sids[0], client=client)
assert isinstance(error, Error)
print(
    json.dumps(
        {
            "first": first,
            "second": second,
            "updated": [updated.friendly_name, updated.voice_caller_id_lookup],
            "calls": calls.total,
            "deleted": deleted.status_code,
            "error": error.code,
        }
    )
)
