// Finds passwords without a label by their position: in protocols, login files, dumps and sentences.
import { loginRow, loginRows, type Secret } from "./secret.ts";

/** The start of a word, also after an escaped line break. */
const START = String.raw`(?:(?<![\w-])|(?<=\\[nrt]))`;
const LINE = String.raw`(?:\r?\n|\\r\\n|\\n)`;
const QUOTE = String.raw`\\{0,3}["']`;
/** A user name before " / " and a password. After other names than these the password must not be a word. */
const NAME = String.raw`(?:[\w.+-]{2,40}@[\w.-]{3,60}|(?=\w*[_\d])\w{3,40}|admin|root|test|demo|guest|operator|\w{2,20}(?= \/ [^\s/]{0,40}(?:\d|[!#$%&]|[A-Z][a-z]+[.-][A-Z]?[a-z])))`;

/** "log in as root / sudo", "login with test / prod accounts" */
const ROLE =
  "(?:sudo|staff|editor|viewer|member|owner|manager|moderator|dev|stage|staging|prod|production|live|local|sso|oauth|ssh)";

export const PROTOCOLS: readonly Secret[] = [
  ...loginRows(String.raw`
    WIFI:S:home;P:%;;                    WIFI:                        WIFI:(?:[A-OQ-Z]:[^;\n]{0,80};){0,4}P:(?=[^;\n]{3,80};)
    Key Content : %                      Key Content|sselinhalt       (?:Key Content|sselinhalt)[ \t]{1,20}:[ \t]
    a1 LOGIN ann %\na1 OK done           | LOGIN |                    ${START}\w{1,6} LOGIN[ \t](?:${QUOTE}[^"\n]{1,80}"|[\w.@+-]{1,80})[ \t](?=[^\n]{3,80}?${LINE}\w{1,6} (?:OK|NO|BAD))
    AUTH PLAIN AGFubgAzM2NyM3Q0          AUTH |                       AUTH PLAIN (?=[A-Za-z0-9+\/]{12,}={0,2}(?:[\s\\]|$))
    "AUTH" "ann" "%"                     AUTH"|AUTH\"                 AUTH${QUOTE}[ \t](?:${QUOTE}[^"\n]{1,60}"[ \t](?=\\{0,3}"))?\\{0,3}(?=")
    user ann on >% ~*                    | on >                       (?:${START}user|SETUSER|setuser) \S{1,60} on >
    [mx.a.b]:587 ann@a.b:%               ]:587|]:465|]:25 |           \]:(?:587|465|25)[ \t]{1,20}[^\s:]{1,100}:
    ann : EAP %                          : EAP |: XAUTH |             : (?:EAP|XAUTH)[ ]
    stats auth ann:%                     stats auth |login=           (?:stats auth |${START}login=)(?!oauth:|oidc:|saml:|ldap:|sso:)[\w.-]{1,40}:
    snmp-server community % RO           community |                  (?:${START}r[ow]community|server community)[ \t]{1,4}
    createUser ann SHA %                 createUser |                 createUser \S{1,60} (?:SHA|MD5)(?:-\d+)?[ ]
    createUser ann as AES %              createUser |                 (?:AES|DES)(?<=createUser [^\n]{1,160})[ ]
    red:auth('%')                        :auth(                       :auth\(\s{0,4}(?=["'])
    Initial Root Token: %                nseal Key |oot Token: |      (?:Unseal Key \d{1,2}|Initial Root Token):[ ]
    BASIC_AUTH=ann:%                     BASIC_AUTH|asic_auth|asicAuth   (?:BASIC_AUTH|basic_?[aA]uth)\w{0,20}["']?[ \t]?[=:][ \t]?["']?[\w.-]{2,40}:(?!\/)
    Input Password  id:a  %              nput Password                Input Password[ \t]{2,20}\S{1,60}[ \t]{2,20}
    Password reset.\nNew value: %        ew value: |                  assword[^:]{0,160}${LINE}[ \t]{0,4}New value:[ ]
    SET value = '%' where name = 'smtp_password'   alue = '|alue='              ${START}value ?= ?(?='[^'\n]{3,200}' [Ww](?:here|HERE) \w{1,40} ?= ?'[\w.-]{0,40}(?:pass|secret|token))
    SecretID: 3f9a1c7b-1111-4222-8333-3f9a1c7be04d   ecret                        [Ss]ecret(?:_id|ID)${QUOTE}?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}["']?(?=[0-9a-f]{8}-)
    creds for the vpn: ann:%             reds |reds:|redentials       ${START}(?:[Cc]reds|[Cc]redentials)\b[^\n:]{0,40}:[ \t]{1,4}(?!(?:env|file|vault|see|type|scope):)[\w.@-]{2,40}:(?!\/|\d|\s)
  `),
  // "login with admin / value"
  loginRow(
    [" / "],
    String.raw`[ \t]\/[ \t](?<=(?:${START}[Ll]og ?in|${START}[Cc]reds|${START}[Cc]redentials)\b[^\n/]{0,60}?[\s:\x60]${NAME}\x60?[ \t]\/[ \t])(?!\S{0,60}\.(?:[jt]sx?|py|md|html?|json)\b)(?!${ROLE}\b(?![-\w!]|\.\w))`,
    "login with admin / %",
  ),
  // "creds for the vpn: ann:value"
  {
    // "PIN for the alarm is 4071", `ALARM_PIN=4071`, `"pin": "4071"`; not a pin of a board, `#define RESET_PIN 1024`.
    name: "pin",
    hints: ["PIN ", "PIN=", "PIN:", 'PIN"', "pin:", "pin=", 'pin"', 'pin\\"'],
    pattern: () =>
      /(?:(?<![A-Za-z_])PIN(?:[ \t](?:for|of|to|zum|zur|für|der)[ \t][^\n.:,]{1,40}?)?(?:[ \t](?:is|ist)|[ \t]?[:=])?[ \t]?|_PIN[ \t]?[:=][ \t]?|(?<![A-Za-z])pin\\{0,3}["']?[ \t]?[:=][ \t]?\\{0,3}(?=["']))["']?(\d{4,8})(?![\d.-]|\w| ?[kM]?Hz)/g,
    sample: "The PIN is 407193",
  },
  {
    name: "recovery-code",
    hints: ["ecovery codes", "ackup codes"],
    pattern: () =>
      /(?:[\n,]|\\n)[ \t*\d.-]{0,8}((?=[a-z-]{0,9}\d)[a-z\d]{4,6}(?:-[a-z\d]{4,6}){1,3})(?=[\s,\\"]|$)(?<=(?:recovery|backup) codes[^]{0,400})/gi,
    sample: "Recovery codes:\n7k2mq-x9dfr",
  },
];
