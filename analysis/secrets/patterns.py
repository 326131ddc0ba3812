"""The forms in which secrets stand in logs, settings and command lines: RE2 patterns, and what each one hides."""

from analysis.secrets.forms import (
    Rule,
    base64_pair,
    group,
    has_digit,
    keyed,
    mixed,
    named_value,
    rule,
    signature,
    userinfo,
)
from analysis.secrets.keys import looks_random, may_be_secret
from analysis.secrets.placeholders import MASK

_NOUN = (
    r"(?:pass|pwd|pw|secret|token|auth|credential|cookie|dsn|jwt|bearer|conn(?:ection)?[_-]?str(?:ing)?|sessid|sessionid"
    r"|dockerconfigjson|(?:api|access|private|secret|signing|encryption|master|session|account|license|service|app"
    r"|application|integration)[_.\-]?key)"
)
_KEY = rf"[\w.\-]*{_NOUN}[\w.\-]*"
_VALUE = r"""(?:\\+["']([^"'\\\n]*)|"((?:[^"\\\n]|\\[^\n])*)|'([^'\n]*)|([^\s"'&;""" + MASK + r"""]+))"""

_TOKENS = [
    rule("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\b((?:gh[pousr]|github_pat)_\w{6,})", group("github_token")),
    rule("glpat- gldt- glrt- glcbt-", r"\b(gl(?:pat|dt|rt|cbt)-[\w\-.]{6,})", group("gitlab_token")),
    rule("xox xapp-", r"\b((?:xox[abceoprs]|xapp)-[\w\-]{6,})", group("slack_token")),
    rule(
        "hooks.slack.com discord",
        r"(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/([\w/\-]{8,})",
        group("webhook"),
    ),
    rule("k_live_ k_test_ whsec_", r"\b((?:[sr]k_(?:live|test)|whsec)_\w{6,})", group("stripe_key")),
    rule("sk-ant-", r"\b(sk-ant-[\w\-]{6,})", group("anthropic_key")),
    rule("sk-", r"\b(sk-[\w\-]{10,})", group("openai_key", has_digit)),
    rule("npm_", r"\b(npm_[A-Za-z0-9]{10,})", group("npm_token", mixed)),
    rule("pypi-", r"\b(pypi-[\w\-]{12,})", group("pypi_token", mixed)),
    rule("hf_", r"\b(hf_[A-Za-z0-9]{10,})", group("huggingface_token", mixed)),
    rule("aiza ya29.", r"\b(AIza[\w\-]{10,}|ya29\.[\w\-.]{6,})", group("google_key")),
    rule("akia asia aroa aida agpa", r"\b((?:AKIA|ASIA|AROA|AIDA|AGPA)[0-9A-Z]{6,})\b", group("aws_key", has_digit)),
    rule(
        "sg. dop_v1_ hvs. dp.pt. age-secret-key- shpat_ sntrys_ glsa_",
        r"\b(SG\.[\w\-]{6,}\.?[\w\-]*|dop_v1_\w{6,}|hvs\.[\w\-]{6,}|dp\.pt\.\w{6,}|AGE-SECRET-KEY-\w{6,}"
        r"|shpat_\w{6,}|sntrys_[\w=+/]{6,}|glsa_\w{6,})",
        group("token"),
    ),
    rule(":aa", r"\b(\d{8,10}:AA[\w\-]{20,})", group("telegram_token")),
    rule("eyj", r"\b(eyJ[\w\-]{8,}(?:\.[\w\-]*){0,4})", group("jwt")),
    rule("$2", r"(\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{10,})", group("hash")),
    rule(
        "$1$ $5$ $6$ $y$ $7$ $gy$ $apr1$ $argon2 $scrypt $pbkdf2",
        r"(\$(?:1|5|6|7|y|gy|apr1|argon2(?:id?|d)?|scrypt|pbkdf2[\w\-]*)\$[^\s:\"',]{8,})",
        group("hash"),
    ),
    rule(
        "{sha} {ssha} scram-sha-256$ md5",
        r"(\{S?SHA\}[A-Za-z0-9+/=]{8,}|SCRAM-SHA-256\$[^\s\"']{8,}|\bmd5[0-9a-f]{32}\b)",
        group("hash"),
    ),
]

_COMMANDS = [
    rule("--", rf"(?i)--({_KEY})[ \t]+[\"']?([^\s\"'\-][^\s\"']*)", named_value),
    rule('"-', rf"(?i)\"--?({_KEY})\"\s*,\s*\"((?:[^\"\\\n]|\\[^\n])*)", named_value),
    rule(
        "mysql maria sshpass",
        r"\b(?:mysql\w*|mariadb[\w\-]*|sshpass)\b[^\n|]*?[ \t]-p[ \t]?['\"]?([^\s\"'\-][^\s\"']*)",
        group("password"),
    ),
    rule("redis-cli", r"\bredis-cli\b[^\n|]*?[ \t]-a[ \t]+['\"]?([^\s\"']+)", group("password")),
    rule(
        "login",
        r"\b(?:docker|podman|helm|az|oc)\b[^\n|]*?\blogin\b[^\n|]*?[ \t]-p[ \t]+['\"]?([^\s\"']+)",
        group("password"),
    ),
    rule(
        "curl wget",
        r"\b(?:curl|wget)\b[^\n|]*?[ \t](?:-u|--user)[ =]?['\"]?[^\s:\"']+:([^\s\"']+)",
        group("password"),
    ),
    rule(
        "requirepass masterauth",
        r"(?i)\b(?:requirepass|masterauth)[ \t]+\"?([^\s\"]+)",
        group("password", may_be_secret),
    ),
    rule('"auth"', r'(?i)"auth"[ \t]+"([^"\n]+)(?:"[ \t]+"([^"\n]+))?', group("password")),
    rule("password", r"(?i)\bpassword(?:[ \t]*[(=][ \t]*|[ \t]+)'([^'\n]*)", group("password", may_be_secret)),
    rule(
        "identified",
        r"(?i)\blocate revision identified by ['\"][\da-f]{4,40}['\"]|"  # Alembic's, the name of a migration
        r"\bidentified[ \t]+(?:with[ \t]+\S+[ \t]+)?(?:by|as)[ \t]+(?:password[ \t]+)?['\"]([^'\"\n]*)",
        group("password"),
    ),
]

_SETTING = "pass pwd pw secret token key auth credential cookie dsn jwt bearer conn sess dockerconfigjson"
_SETTINGS = [
    rule(_SETTING, rf'(?i)"({_KEY})=((?:[^"\\\n]|\\[^\n])*)', named_value),
    rule(
        _SETTING,
        r'(?i)"(?:name|key)"\s*:\s*"([^"\n]*)"\s*,\s*"value"\s*:\s*"((?:[^"\\\n]|\\[^\n])*)',
        named_value,
    ),
    rule(
        _SETTING,
        r"(?i)\bname:[ \t]*[\"']?([\w.\-]+)[\"']?[ \t]*\n[ \t]*value:[ \t]*[\"']?([^\s\"'][^\n\"']*)",
        named_value,
    ),
    rule(
        _SETTING,
        r"(?m)^[ \t]*(?:export[ \t]+|ENV[ \t]+|-e[ \t]+)?([A-Z_][A-Z0-9_]*)=([^\n\"']+)$",
        named_value,
    ),
    rule(
        "authorization",
        r"(?i)authorization[\"'\\]*[ \t]*[:=][ \t]*[\"'\\]*(?:bearer|basic|token|digest|apikey|negotiate)[ \t]+"
        r"([^\s\"'\\]+)",
        group("authorization", may_be_secret),
    ),
    rule("bearer", r"(?i)\bbearer(?:[ \t]+|%20)([\w.~+/=\-]{6,})", group("authorization", looks_random)),
    rule("basic", r"(?i)\bbasic[ \t]+([A-Za-z0-9+/=]{8,})", group("authorization", base64_pair)),
    rule('"auth"', r'"auth"\s*:\s*"([A-Za-z0-9+/=]{8,})', group("authorization")),
    rule("://", r"://[^\s/:@\"'<>\[\]]*:([^\s\"'<>]+)@", userinfo),
    rule(":\\/\\/", r":\\/\\/[^\s/:@\"'<>\[\]]*:([^\s\"'<>]+)@", userinfo),
    rule("://", r"://([^\s/:@\"'<>\[\].\-]{20,})@", group("token", looks_random)),
    rule(_SETTING, rf"(?i)<({_KEY})>([^<\n]+)", named_value),
    rule("login", r"(?i)\blogin[ \t]+\S+[ \t]+password[ \t]+(\S+)", group("password", may_be_secret)),
    rule("@tcp( @unix(", r"[\w.\-]+:([^\s\"'@]+)@(?:tcp|unix)\(", group("password")),
]

_HEADERS = [
    rule(
        "sig= signature=",
        r"(?i)[?&;\"]((?:x-(?:amz|goog)-)?sig(?:nature)?)=([^&\s\"'<>]{6,})",
        signature,
    ),
    rule(
        "cookie",
        r"(?i)\bset-cookie[\"'\\]*[ \t]*[:=][ \t]*[\"'\\]*[\w.\-]+=([^;\s\"']+)",
        group("cookie"),
    ),
    rule(
        "cookie",
        r"(?i)(?:^|[^\w\-])cookie[\"'\\]*[ \t]*[:=][ \t]*[\"'\\]*([\w.\-]+=[^\n\"'\\]+)",
        group("cookie"),
    ),
]

_ASSIGNMENT = rule(_SETTING, rf"(?i)({_KEY})((?:\\*[\"'])?[ \t]*(?::=|=>|[:=])[ \t]*){_VALUE}", keyed)

RULES: tuple[Rule, ...] = (*_SETTINGS, *_HEADERS, _ASSIGNMENT, *_COMMANDS, *_TOKENS)
"""In this order: what names its secret takes all of it, before a token's form would take a part."""
