# At the start of a task: what is known about it? The answer is kept for its id.
answer=$(curl -sS -G "$COVEY_API/recall" -H "Authorization: Bearer $COVEY_TOKEN" -d index=none --data-urlencode "q=Why does the nightly backup fail?")
printf '%s\n' "$answer"

# At its end: one fact, and where it comes from.
curl -sS "$COVEY_API/insights" -H "Authorization: Bearer $COVEY_TOKEN" -H "Content-Type: application/json" -H "Idempotency-Key: ticket-17-1" -d '{"text": "The package mirror drops answers above 64 MiB; fetch large wheels in parts.", "source": "ticket-17", "task": "Repair the nightly build"}'

# Which of its pages helped? The id is that of the recall, the page one that it handed out.
RECALL=$(printf '%s' "$answer" | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')
curl -sS "$COVEY_API/recalls/$RECALL/marks" -H "Authorization: Bearer $COVEY_TOKEN" -H "Content-Type: application/json" -d '{"page": "nightly-backup-fails", "useful": true}'
