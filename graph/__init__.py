import os

# Read by langgraph at its import: a checkpoint may only bring back the types that a state names.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
