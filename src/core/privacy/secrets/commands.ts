// Passwords on command lines and in the files of logins: their place gives them away, whatever they look like.
import { hex, once, type Secret } from "./secret.ts";
import { call, login, VALUE, WORD } from "./login.ts";
import { isHarmless } from "./values.ts";
import { isMixed, isName, isPlaceholder, STRONG_KEY, WORDS } from "./words.ts";

/** As far as one command goes, up to its next argument. In a list of arguments each is quoted. */
const REST = String.raw`\b[^\n|;&]{0,200}?(?:[ \t]|["'],?[ \t]?["'])`;
/** Between an option and its value. */
const TO_VALUE = String.raw`(?:[ \t]{1,4}|["'],[ \t]?(?=["']))`;
const GAP = String.raw`(?:\s|\\[nrt]){1,20}`;
const SHELL_NAME = String.raw`[\w.-]{1,80}`;

export const COMMANDS: readonly Secret[] = [
  login(
    ["mysql", "mariadb"],
    String.raw`(?:mysql|mariadb)\w{0,10}${REST}-p(?!\\[nrt])(?=["']?[^\s"'-])`,
    "mysql -u root -p%",
  ),
  login(["mongo"], String.raw`mongo\w{0,10}${REST}-p${TO_VALUE}`, "mongosh -u admin -p % app"),
  login(["sshpass"], String.raw`sshpass[ \t]{1,4}-p[ \t]?`, "sshpass -p % ssh host"),
  login(
    ["docker login", "podman login", "az login", "az sql", "oc login", "helm registry login"],
    String.raw`(?:(?:docker|podman|oc|az|registry) login|az sql)${REST}-p${TO_VALUE}`,
    "docker login -u a -p %",
  ),
  login(["redis-cli"], String.raw`redis-cli${REST}-a(?:${TO_VALUE}|)`, "redis-cli -h cache -a % ping"),
  login(["ldap"], String.raw`ldap(?:search|modify|add|delete|passwd|whoami)${REST}-w[ \t]?`, "ldapsearch -x -w %"),
  login(
    ["sqlcmd", "bcp ", "isql", "mssql-cli"],
    String.raw`(?:sqlcmd|bcp|isql|mssql-cli)${REST}-P[ \t]?`,
    "sqlcmd -S db -U sa -P %",
  ),
  login(["7z x ", "7z a ", "7za ", "7zr "], String.raw`7z[ar]?[ \t]${REST}-p`, "7z x a -p% b.7z"),
  login([" -P "], String.raw`(?:un)?zip${REST}-P${TO_VALUE}`, "unzip -P % a.zip"),
  login(
    ["keytool", "jarsigner"],
    String.raw`(?:keytool|jarsigner)${REST}-(?:src|dest)?(?:store|key)pass[ \t]`,
    "keytool -storepass %",
  ),
  login(
    ["openssl"],
    String.raw`openssl${REST}(?:-pass(?:in|out)?[ \t]{1,4}pass:|-k[ \t]{1,4})`,
    "openssl enc -k % -in a",
  ),
  login(["ssh-keygen"], String.raw`ssh-keygen${REST}-[NP]${TO_VALUE}`, "ssh-keygen -t rsa -N % -f id"),
  login(
    ["smbmap", "netexec", "evil-winrm"],
    String.raw`(?:smbmap|netexec|evil-winrm)${REST}-p${TO_VALUE}`,
    "smbmap -u ann -p % -H a",
  ),
  login(
    ["smbclient", "winexe", "rpcclient"],
    String.raw`(?:smbclient|winexe|rpcclient)${REST}-U[ \t]{0,4}["']?[^\s"'%]{1,80}%`,
    "smbclient -U 'ann%%'",
  ),
  login(["xfreerdp", "freerdp", "mstsc"], String.raw`freerdp\d?${REST}\/p:`, "xfreerdp /u:a /p:%"),
  login(
    [": \\\\", "use \\\\"],
    String.raw`net use[ \t]{1,4}(?:\S{1,4}[ \t]{1,4})?\\{2,8}\S{1,120}[ \t]{1,4}(?![/*])`,
    "net use Z: \\\\nas\\a % /user:b",
  ),
  login([" /add"], String.raw`net user[ \t]{1,4}\S{1,80}[ \t]{1,4}(?![/*])`, "net user ann % /add"),
  login(
    ["twine", "cqlsh", "psexec", "PsExec", "hdbsql", "unlock-keychain", "ncftp"],
    String.raw`(?:twine|cqlsh|psexec\d{0,2}|PsExec\d{0,2}|hdbsql|unlock-keychain|ncftp\w{0,5})${REST}-p${TO_VALUE}`,
    "twine upload -u ann -p % dist/a",
  ),
  login(
    ["mosquitto_", "ipmitool"],
    String.raw`(?:mosquitto_(?:pub|sub)|ipmitool)${REST}-P${TO_VALUE}`,
    "mosquitto_pub -u a -P % -t b",
  ),
  login(
    ["quitto_passwd"],
    String.raw`mosquitto_passwd${REST}-b[ \t]\S{1,80}[ \t]\S{1,80}[ \t]`,
    "mosquitto_passwd -b file ann %",
  ),
  login(["snmp"], String.raw`snmp\w{1,10}${REST}-A${TO_VALUE}`, "snmpwalk -v3 -A % host"),
  login(["snmp"], String.raw`snmp\w{1,10}${REST}-X${TO_VALUE}`, "snmpwalk -v3 -X % host"),
  login(["signtool"], String.raw`signtool${REST}\/p[ \t]{1,4}`, "signtool sign /f a.pfx /p %"),
  login(
    ["reset-admin-password"],
    String.raw`reset-admin-password[ \t]{1,4}`,
    "grafana-cli admin reset-admin-password %",
  ),
  login(
    ["mc alias set", "mc config host"],
    String.raw`mc (?:alias set|config host add)[ \t]{1,4}(?:\S{1,200}[ \t]{1,4}){3}`,
    "mc alias set a http://b c %",
  ),
  login(
    ["http -a", "https -a", "xh -a"],
    String.raw`(?:https?|xh) -a[ \t]{1,4}["']?[\w.@-]{1,60}:`,
    "http -a ann:% :8080/a",
  ),
  login(["openssl"], String.raw`openssl passwd[ \t](?:-\w{1,6}[ \t]){1,4}`, "openssl passwd -6 %"),
  login(
    ["rclone config"],
    String.raw`rclone config (?:create|update)${REST}pass[ \t]`,
    "rclone config create a sftp pass %",
  ),
  login(
    ["password-command"],
    String.raw`password-command[= ]["']?echo[ \t]{1,4}\\{0,3}`,
    "restic --password-command 'echo %' init",
  ),
  login(["radtest"], String.raw`radtest[ \t]{1,4}\S{1,60}[ \t]{1,4}`, "radtest ann % 127.0.0.1 0 shared"),
  login(["snmp"], String.raw`snmp(?:walk|get|set|bulkwalk)${REST}-c${TO_VALUE}`, "snmpwalk -v2c -c % host"),
  login(["unrar"], String.raw`rar[ \t]{1,4}[axe][ \t]{1,4}(?:\S{1,80}[ \t]{1,4}){0,4}?-h?p`, "unrar x -p% a.rar"),
  login(
    ["generic-password", "internet-password"],
    String.raw`add-(?:generic|internet)-password${REST}-w${TO_VALUE}`,
    "security add-generic-password -a ann -w %",
  ),
  login(
    ["ks-pass", "-passin", "-passout"],
    String.raw`-{1,2}[\w-]{0,20}pass(?:in|out|word)?[ \t=]pass:`,
    "apksigner sign --ks-pass pass:%",
  ),
  login(["user_pw", "owner_pw", "input_pw"], String.raw`(?:user|owner|input)_pw[ \t]{1,4}`, "pdftk a.pdf user_pw %"),
  login(
    ["cargo login", "ngrok ", "bw unlock", "vault login"],
    String.raw`(?:cargo login|ngrok (?:config add-)?authtoken|bw unlock|vault login)[ \t]{1,4}(?:token=)?(?![-$(]|with |to |is |and )`,
    "cargo login %",
  ),
  login(
    ["http-basic."],
    String.raw`http-basic\.\S{1,80}[ \t]{1,4}\S{1,80}[ \t]{1,4}`,
    "poetry config http-basic.a ann %",
  ),
  login(
    ["config set ", "configure set "],
    String.raw`(?:config|configure) set[ \t]{1,4}(?:--?\S{1,40}[ \t]){0,3}[^\s=]{0,80}(?:passw|secret|token|_auth|api[_-]?key)[^\s=]{0,40}[ \t=]`,
    "aws configure set aws_secret_access_key %",
  ),
  login(
    ["etcdctl", "jenkins-cli", "--proxy-user"],
    String.raw`(?:etcdctl|jenkins-cli|curl)${REST}(?:-a|-auth|--auth|--user|--proxy-user)[ \t=]{1,4}["']?[\w.@-]{1,60}:(?!\/\/)`,
    "etcdctl --user ann:% get a",
  ),
  login(
    ["cmdkey", "schtasks"],
    String.raw`(?:cmdkey|wmic|net|schtasks|runas)${REST}\/(?:pass|password|rp)[: ]`,
    "cmdkey /add:a /user:b /pass:%",
  ),
  login(["rclone obscure"], String.raw`rclone obscure[ \t]{1,4}`, "rclone obscure %"),
  login(
    ["rabbitmqctl"],
    String.raw`rabbitmqctl${REST}(?:add_user|change_password)[ \t]{1,4}\S{1,80}[ \t]{1,4}`,
    "rabbitmqctl add_user a %",
  ),
  login(
    ["wpa_passphrase"],
    String.raw`wpa_passphrase[ \t]{1,4}(?:"[^"\n]{1,40}"|\S{1,40})[ \t]{1,4}`,
    "wpa_passphrase home %",
  ),
  login(
    ["sqlplus", "sqlldr", "impdp", "expdp", "thin:"],
    String.raw`(?:sqlplus|sqlldr|impdp|expdp|thin:)(?:[ \t](?:-\w{1,2}[ \t])?)?["']?\w{1,40}\/(?=[^\s"'/@]{3,80}@|"[^"\n]{3,80}"@)`,
    "sqlplus ann/%@db",
  ),
  login(
    ["@tcp(", "@unix("],
    String.raw`[\w.-]{1,60}:(?=[^\s"'\x60@/]{3,100}@(?:tcp|unix)\()`,
    "ann:%@tcp(db:3306)/app",
  ),
  login(["lftp"], String.raw`lftp${REST}-u[ \t]{1,4}["']?[^\s"',]{1,80},`, "lftp -u ann,% host"),
  login(
    ["AUTH "],
    String.raw`(?:[\d\w]> ?|redis[^\n]{0,40}|(?:^|\n)(?=AUTH \S+[ \t]*(?:\n|$)))AUTH[ \t]{1,4}(?!LOGIN|PLAIN|XOAUTH|CRAM|is |and |or )(?:[\w.-]{1,40}[ \t](?=\S{3,200}[ \t]*(?:\n|$)))?`,
    "127.0.0.1:6379> AUTH %",
  ),
  login(
    ["htpasswd"],
    String.raw`htpasswd[ \t](?:-\w{1,4}[ \t]){0,4}-\w{0,3}b\w{0,3}(?:[ \t]-\w{1,4}){0,4}[ \t]{1,4}\S{1,100}[ \t]\S{1,80}[ \t]`,
    "htpasswd -b .htpasswd a %",
  ),
  // A value that is piped to a program which reads a credential.
  login(
    [
      "sudo -S",
      "--password-stdin",
      "--passphrase-fd",
      "passwd",
      "secret set",
      "wrangler",
      "secrets ver",
      "env add",
      "vault login",
      "ssh-add",
      "secret create",
      "cryptsetup",
    ],
    String.raw`(?:\b|(?<=\\n))(?:echo|printf)[ \t](?:-\w{1,2}[ \t]|'%s(?:\\n)?'[ \t]|"%s(?:\\n)?"[ \t]){0,2}` +
      String.raw`(?=(?:"[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'|]{3,200})[ \t]{0,4}\|[ \t]{0,4}[^\n|;&]{0,120}?` +
      String.raw`(?:sudo -S|--password-stdin|--passphrase-fd|(?<=\|[ \t]{0,4}(?:sudo )?)passwd\b|secrets? (?:set|put|add|create|versions add)|env add|vault login|ssh-add|cryptsetup))`,
    "echo '%' | sudo -S true",
  ),
  login(
    ["<<"],
    String.raw`(?:sudo -S|-stdin|passwd|secrets? (?:set|put|create)|cryptsetup)\b[^\n|;&<]{0,60}<<<[ \t]?`,
    "sudo -S <<< '%' true",
  ),
  login(
    ["<<"],
    String.raw`(?:-stdin|secrets? (?:set|put|create)|cryptsetup)\b[^\n|;&<]{0,80}<<-?[ \t]?["']?\w{2,20}["']?(?:\n|\\n)`,
    "cryptsetup open a <<EOF\n%",
  ),
  login(
    ["htpasswd"],
    String.raw`htpasswd[ \t](?=-\w{0,3}n)-\w{0,3}b\w{0,3}[ \t]{1,4}\S{1,80}[ \t]`,
    "htpasswd -nb ann %",
  ),
  login(
    ["chpasswd"],
    String.raw`echo[ \t]["']?[\w.-]{1,40}:(?=[^\s"']{3,200}["']?[ \t]*\|[ \t]*(?:sudo[ \t])?chpasswd)`,
    "echo 'a:%' | chpasswd",
  ),
  // Commands that store a credential under any name.
  login(
    ["--from-literal"],
    String.raw`--from-literal[= ]["']?${SHELL_NAME}=`,
    "kubectl create secret generic a --from-literal=b=%",
  ),
  login(
    ["config:set"],
    String.raw`config:set[ \t](?:-\S{1,20}[ \t](?:[\w-]{1,40}[ \t])?)?(?:\w{1,60}=\S{1,200}[ \t]){0,8}?\w{0,60}(?:PASS|SECRET|TOKEN|KEY|PW|AUTH|HOOK|DSN)\w{0,40}=`,
    "heroku config:set APP_HOOK=%",
  ),
  login(
    ["secrets set"],
    String.raw`secrets set[ \t](?:\w{1,60}=\S{1,200}[ \t]){0,8}?\w{1,60}=`,
    "fly secrets set HOOK=%",
  ),
  login(
    ["secret set"],
    String.raw`secret set[ \t][^\n|;&]{0,120}?(?:--body[ \t=]|-b[ \t]?|--(?:secret-)?value[ \t=])`,
    "gh secret set HOOK --body %",
  ),
  login(
    ["--secret-string"],
    String.raw`--secret-string[ \t=](?!file:|["']?\{)`,
    "aws secretsmanager create-secret --secret-string %",
  ),
  login(
    ["SecureString"],
    String.raw`put-parameter[ \t](?=[^\n]{0,300}SecureString)[^\n]{0,200}?--value[ \t=]`,
    "aws ssm put-parameter --type SecureString --value %",
  ),
  login(["t --secret"], String.raw`config set --secret[ \t]{1,4}\S{1,80}[ \t]{1,4}`, "pulumi config set --secret a %"),
  // Commands that print one.
  login(
    [
      "versions access",
      "keyvault secret show",
      "pass show ",
      "get-secret-value",
      "op read ",
      "gopass show ",
      "vault kv",
    ],
    String.raw`\$ [^\n]{0,60}(?:secrets versions access|keyvault secret show|pass show|get-secret-value|op read|kv get -field)\b[^\n\\]{0,200}(?:\n|\\n)(?=[^\s\\]{3,200}(?:[\s\\]|$))(?![{[|-]|[+\w.]{1,30}:[ \t])`,
    "$ pass show mail/ann\n%",
  ),
  login(
    ["base64 -d", "base64 --d", "base64 -D"],
    String.raw`(?:password|secret|token)[^\n]{0,80}\| ?base64 (?:-d|-D|--decode)\b[^\n]{0,20}(?:\n|\\n)(?=[^\s\\]{4,200}(?:[\s\\]|$))(?![$#%{[|-])`,
    "kubectl get secret a -o jsonpath='{.data.password}' | base64 -d\n%",
  ),
  login(
    ["cat /", "cat ~", "cat ."],
    String.raw`\$ (?:sudo )?cat \S{0,100}(?:passw(?:or)?d|secret|token|\.cookie|user-pass)(?:\.txt)?(?:\n|\\n)(?:[\w.@-]{2,60}(?:\n|\\n)(?=\S{4,100}(?:\n|$)))?(?=[^\s\\:]{4,200}(?:[\s\\]|$))(?![$#%{[|<-])`,
    "$ cat /run/secrets/db_password\n%",
  ),
  // Calls that take a name and a password.
  call(["asicAuth", "asic_auth", "BasicAuth"], "basic_?auth", "req.SetBasicAuth('ann', '%')"),
  call(["Credential"], String.raw`credentials?(?:\.basic)?`, "new NetworkCredential('ann', '%')"),
  call(["PlainAuth"], "PlainAuth", "smtp.PlainAuth('', 'ann', '%')", 2),
  call([">connect("], ">connect(?=\\()", "DBI->connect('dbi:a', 'ann', '%')", 2),
  call(["FTP"], "FTP(?:.open)?(?=\\()", "Net::FTP.open('host', 'ann', '%')", 2),
  call(["atabase("], "database(?=\\()", "database('db', 'ann', '%')", 2),
  call(["AuthenticationToken"], "AuthenticationToken", "new UsernamePasswordAuthenticationToken('ann', '%')"),
  call(["auth=("], String.raw`auth[ \t]?=[ \t]?`, "get(url, auth=('ann', '%'))"),
  call(["getConnection", "PDO("], String.raw`(?:getConnection|\bPDO)(?=\()`, "getConnection('jdbc:a', 'ann', '%')", 2),
  call(["ogin("], "(?:login|authenticate)", "client.login('ann', '%')"),
  call(["mysql"], String.raw`mysqli?(?:_connect)?(?=\()`, "mysqli_connect('db', 'ann', '%')", 2),
  call(
    ["create_user(", "create_superuser("],
    String.raw`create_(?:super)?user(?=\()`,
    "create_user('ann', 'a@b.c', '%')",
    2,
  ),
  login(
    ["bcrypt.", "assword"],
    String.raw`(?:bcrypt\.(?:hash|compare)(?:Sync)?|(?:hash|make|check|verify|encrypt|encode|compare|change|update)_?[Pp]assword)\(\s{0,4}(?=["'])`,
    "bcrypt.hash('%', 10)",
  ),
  login(
    ["jwt."],
    String.raw`jwt\.(?:sign|verify|encode|decode)\([^;\n]{0,120}?,\s{0,4}(?=["'][^"'\n]{6,200}["']\s{0,4}[,)])(?!["'](?:HS|RS|ES)\d)`,
    "jwt.sign(claims, '%')",
  ),
  login(
    ["createHmac"],
    String.raw`createHmac\(\s{0,4}["']\w{1,20}["']\s{0,4},\s{0,4}(?=["'])`,
    "createHmac('sha256', '%')",
  ),
  login(
    ["SecureString"],
    String.raw`ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?(?!-|\$)`,
    "ConvertTo-SecureString '%'",
  ),
  login(
    ["assword"],
    String.raw`assword[^\n]{0,40}\n?\s{0,20}send[ \t](?:--[ \t])?(?=["'])`,
    "expect 'assword:'\nsend '%'",
  ),
  login(
    ["machine "],
    String.raw`machine${GAP}\S{1,200}${GAP}login${GAP}\S{1,200}${GAP}password${GAP}`,
    "machine a.b login c password %",
  ),
  login([":5432:", ":*:*:"], String.raw`:(?:5432|\*):[\w*.-]{1,60}:[\w*.-]{1,60}:`, "db:5432:app:ann:%"),
  // Every value of a manifest's secret, whatever it is called. Each line matches in one way only, or the time explodes.
  {
    name: "credential",
    hints: ["stringData:"],
    pattern: () =>
      /(?:\n|\\n)[ \t]{1,20}[\w.-]{1,60}:[ \t]{1,4}["']?(?<=stringData:[ \t]{0,4}(?:(?:\n|\\n)[ \t][^\n\\]{0,320}){1,20})([^\s"'|>{&*!#][^\n"'\\]{2,300})(?=["'\n\\]|$)/g,
    sample: `stringData:\n  dsn: ${WORD}`,
    accept: (_, value) => !isPlaceholder(value),
  },
  {
    name: "credential",
    hints: ["redentials", "ugangsdaten", "dentifiants"],
    pattern: () =>
      /(?:\n|\\n)[ \t*-]{0,20}[\w.@-]{2,60}:(?<=(?:credentials|zugangsdaten|identifiants)[^\n\\]{0,60}:[ \t]{0,4}(?:(?:\n|\\n)[^\n\\]{0,200}){1,10})([^\s:/"'{[\\][^\s:"'\\]{4,100})(?=[\s"\\]|$)/gi,
    sample: `Credentials for the demo:\n  admin:${WORD}`,
    accept: (_, value) => !isPlaceholder(value) && !isHarmless(value),
  },
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
      /\b(?:identified\s{1,4}(?:with\s{1,4}\w{1,40}\s{1,4})?by|with\s{1,4}(?:encrypted\s{1,4})?password)\s{1,4}(?:password\s{1,4})?(?:'([^'\n]{3,200})(?=')|"([^"\n]{3,200})(?=")|(?<=\b(?:user|role)\s[^\n;]{1,80})(?!values|external|global|random|password|with)([a-z][\w#!]{3,60})(?=[ \t;]))/gi,
    sample: `CREATE USER a IDENTIFIED BY '${WORD}'`,
    accept: (_, value) => !isPlaceholder(value),
  },
  {
    name: "password-hash",
    hints: ["$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2", "$apr1$"],
    pattern: () =>
      /\$(?:2[aby]\$\d\d\$[\w./]{53}|(?:[56y]|apr1)\$[^\s:$]{1,60}\$[^\s:"']{20,200}|argon2i?d?\$[^\s"':]{20,300})/g,
    sample: `root:$6$${hex(16)}$${hex(64)}:19000:0:99999:7:::`,
  },
];
