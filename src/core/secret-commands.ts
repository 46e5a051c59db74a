// Passwords on command lines and in the files of logins: their place gives them away, whatever they look like.
import { hex, once, type Secret } from "./secret.ts";
import { isMixed, isName, isPlaceholder, STRONG_KEY, WORDS } from "./secret-words.ts";

const WORD = "s3cr3t-Passw0rd";
/** As far as one command goes. */
const REST = String.raw`\b[^\n|;&]{0,200}?[ \t]`;
const VALUE = String.raw`["']?([^\s"'|;&<>-][^\s"']{2,200})`;
const GAP = String.raw`(?:\s|\\[nrt]){1,20}`;

export const COMMANDS: readonly Secret[] = [
  login(["mysql", "mariadb"], String.raw`(?:mysql|mariadb)\w{0,10}${REST}-p(?=["']?[^\s"'-])`, "mysql -u root -p%"),
  login(["sshpass"], String.raw`sshpass[ \t]{1,4}-p[ \t]?`, "sshpass -p % ssh host"),
  login(
    ["docker login", "podman login", "az login", "oc login"],
    String.raw`(?:docker|podman|oc|az) login${REST}-p[ \t]`,
    "docker login -u a -p %",
  ),
  login(["redis-cli"], String.raw`redis-cli${REST}-a[ \t]?`, "redis-cli -h cache -a % ping"),
  login(["ldap"], String.raw`ldap(?:search|modify|add|delete|passwd|whoami)${REST}-w[ \t]?`, "ldapsearch -x -w %"),
  login(["sqlcmd"], String.raw`sqlcmd${REST}-P[ \t]?`, "sqlcmd -S db -U sa -P %"),
  login(["7z x ", "7z a ", "7za ", "7zr "], String.raw`7z[ar]?[ \t]${REST}-p`, "7z x a -p% b.7z"),
  login(
    ["keytool", "jarsigner"],
    String.raw`(?:keytool|jarsigner)${REST}-(?:src|dest)?(?:store|key)pass[ \t]`,
    "keytool -storepass %",
  ),
  login(
    ["htpasswd"],
    String.raw`htpasswd[ \t](?:-\w{1,4}[ \t]){0,4}-\w{0,3}b\w{0,3}(?:[ \t]-\w{1,4}){0,4}[ \t]{1,4}\S{1,100}[ \t]\S{1,80}[ \t]`,
    "htpasswd -b .htpasswd a %",
  ),
  login(
    ["sudo -S"],
    String.raw`echo[ \t](?:-n[ \t])?(?=["']?[^\s"']{3,200}["']?[ \t]*\|[ \t]*sudo -S)`,
    "echo '%' | sudo -S true",
  ),
  login(
    ["chpasswd"],
    String.raw`echo[ \t]["']?[\w.-]{1,40}:(?=[^\s"']{3,200}["']?[ \t]*\|[ \t]*(?:sudo[ \t])?chpasswd)`,
    "echo 'a:%' | chpasswd",
  ),
  login(
    ["machine "],
    String.raw`machine${GAP}\S{1,200}${GAP}login${GAP}\S{1,200}${GAP}password${GAP}`,
    "machine a.b login c password %",
  ),
  login([":5432:"], String.raw`:5432:[\w*.-]{1,60}:[\w*.-]{1,60}:`, "db:5432:app:ann:%"),
  {
    name: "credential",
    hints: ["ENV ", "ARG ", "set -", "setx "],
    pattern: once(
      () =>
        new RegExp(
          String.raw`(?:ENV|ARG|set -[a-zA-Z]{1,3}|setx)[ \t]{1,4}(\w{0,60}(?:${WORDS}))[ \t]{1,4}${VALUE}`,
          "gi",
        ),
    ),
    sample: `ENV DB_PASSWORD ${WORD}`,
    accept: ([, key = ""], value) =>
      !isPlaceholder(value) && (STRONG_KEY.test(key) || (isMixed(value) && !isName(value))),
  },
  {
    name: "credential",
    hints: ["IDENTIFIED", "identified", "PASSWORD '", "password '"],
    pattern: () =>
      /\b(?:identified\s{1,4}by|with\s{1,4}(?:encrypted\s{1,4})?password)\s{1,4}(?:password\s{1,4})?'([^'\n]{3,200})(?=')/gi,
    sample: `CREATE USER a IDENTIFIED BY '${WORD}'`,
    accept: (_, value) => !isPlaceholder(value),
  },
  {
    name: "password-hash",
    hints: ["$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2"],
    pattern: () =>
      /\$(?:2[aby]\$\d\d\$[\w./]{53}|[56y]\$[^\s:$]{1,60}\$[^\s:"']{20,200}|argon2i?d?\$[^\s"':]{20,300})/g,
    sample: `root:$6$${hex(16)}$${hex(64)}:19000:0:99999:7:::`,
  },
];

/** `sample` has a % where the password goes. */
function login(hints: readonly string[], before: string, sample: string): Secret {
  return {
    name: "credential",
    hints,
    pattern: once(() => new RegExp(before + VALUE, "g")),
    sample: sample.replace("%", WORD),
    accept: (_, value) => !isPlaceholder(value),
  };
}
