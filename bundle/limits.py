"""How much of a bundle is read. Evidence comes from strangers, so every number has an upper end."""

from dataclasses import dataclass

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True)
class Limits:
    """Upper ends of what is read. What lies beyond is not read, and that is said."""

    max_files: int = 20_000
    max_depth: int = 32  # folders below the root
    max_file_bytes: int = 4 * GIB  # read of one file as it lies on disk
    max_decompressed_bytes: int = 2 * GIB  # of one compressed file
    max_total_bytes: int = 8 * GIB  # of all compressed files together
    max_ratio: int = 200  # decompressed over compressed, looked at once `ratio_from` bytes came out
    ratio_from: int = 64 * MIB
    max_line_bytes: int = MIB  # a longer line is cut there and counted
    max_document_bytes: int = 64 * MIB  # of a file that has to be in memory as a whole (JSON, YAML)
    max_settings_bytes: int = MIB  # of incident.yaml
    max_alert_bytes: int = 16 * MIB  # of alert.json: five thousand alerts are 5 MB
