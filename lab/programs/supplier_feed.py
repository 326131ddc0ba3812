"""The supplier's side: answers a line for a line, until it is told to fall silent."""

import os
import signal
import socket
import threading

silent = threading.Event()
signal.signal(signal.SIGUSR1, lambda *_: silent.set())


def answer(client):
    client.makefile().readline()
    while silent.is_set():
        threading.Event().wait(60)
    client.sendall(b"0.02\n")
    client.close()


with socket.create_server((os.environ["LISTEN"], 9400)) as server:
    while True:
        threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
