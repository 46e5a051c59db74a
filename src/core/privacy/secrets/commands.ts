// Finds passwords on command lines and in login files by their position. They may look like anything.
import { callRows, hex, lazy, loginRow, loginRows, type Secret, VALUE, SAMPLE_PASSWORD } from "./secret.ts";
import { isHarmless } from "./judge.ts";
import { isMixed, isName, isPlaceholder, STRONG_KEY, WORDS } from "./placeholders.ts";

/** The rest of a command up to an argument. In a JSON list of arguments each one is quoted. */
const REST = String.raw`\b[^\n|;&]{0,200}?(?:[ \t]|["'],?[ \t]?["'])`;
/** The space between an option and its value. */
const TO_VALUE = String.raw`(?:[ \t]{1,4}|["'],[ \t]?(?=["']))`;
const GAP = String.raw`(?:\s|\\[nrt]){1,20}`;
const SHELL_NAME = String.raw`[\w.-]{1,80}`;

/** Columns: sample, hints, the pattern up to the password. */
export const COMMANDS: readonly Secret[] = [
  // Passwords as arguments of a command.
  ...loginRows(String.raw`
    mysql -u root -p%                    mysql|mariadb                (?:mysql|mariadb)\w{0,10}${REST}-p(?!\\[nrt])(?=["']?[^\s"'-])
    mongosh -u admin -p % app            mongo                        mongo\w{0,10}${REST}-p${TO_VALUE}
    sshpass -p % ssh host                sshpass                      sshpass[ \t]{1,4}-p[ \t]?
    docker login -u a -p %               docker login|podman login|az login|az sql|oc login|helm registry login   (?:(?:docker|podman|oc|az|registry) login|az sql)${REST}-p${TO_VALUE}
    redis-cli -h cache -a % ping         redis-cli                    redis-cli${REST}-a(?:${TO_VALUE}|)
    ldapsearch -x -w %                   ldap                         ldap(?:search|modify|add|delete|passwd|whoami)${REST}-w[ \t]?
    sqlcmd -S db -U sa -P %              sqlcmd|bcp |isql|mssql-cli   (?:sqlcmd|bcp|isql|mssql-cli)${REST}-P[ \t]?
    7z x a -p% b.7z                      7z x |7z a |7za |7zr |       7z[ar]?[ \t]${REST}-p
    unzip -P % a.zip                     | -P |                       (?:un)?zip${REST}-P${TO_VALUE}
    keytool -storepass %                 keytool|jarsigner            (?:keytool|jarsigner)${REST}-(?:src|dest)?(?:store|key)pass[ \t]
    openssl enc -k % -in a               openssl                      openssl${REST}(?:-pass(?:in|out)?[ \t]{1,4}pass:|-k[ \t]{1,4})
    ssh-keygen -t rsa -N % -f id         ssh-keygen                   ssh-keygen${REST}-[NP]${TO_VALUE}
    smbmap -u ann -p % -H a              smbmap|netexec|evil-winrm    (?:smbmap|netexec|evil-winrm)${REST}-p${TO_VALUE}
    smbclient -U 'ann%%'                 smbclient|winexe|rpcclient   (?:smbclient|winexe|rpcclient)${REST}-U[ \t]{0,4}["']?[^\s"'%]{1,80}%
    xfreerdp /u:a /p:%                   xfreerdp|freerdp|mstsc       freerdp\d?${REST}\/p:
    net user ann % /add                  | /add                       net user[ \t]{1,4}\S{1,80}[ \t]{1,4}(?![/*])
    mosquitto_pub -u a -P % -t b         mosquitto_|ipmitool          (?:mosquitto_(?:pub|sub)|ipmitool)${REST}-P${TO_VALUE}
    mosquitto_passwd -b file ann %       quitto_passwd                mosquitto_passwd${REST}-b[ \t]\S{1,80}[ \t]\S{1,80}[ \t]
    snmpwalk -v3 -A % host               snmp                         snmp\w{1,10}${REST}-A${TO_VALUE}
    snmpwalk -v3 -X % host               snmp                         snmp\w{1,10}${REST}-X${TO_VALUE}
    signtool sign /f a.pfx /p %          signtool                     signtool${REST}\/p[ \t]{1,4}
    grafana-cli admin reset-admin-password %   reset-admin-password         reset-admin-password[ \t]{1,4}
    mc alias set a http://b c %          mc alias set|mc config host   mc (?:alias set|config host add)[ \t]{1,4}(?:\S{1,200}[ \t]{1,4}){3}
    http -a ann:% :8080/a                http -a|https -a|xh -a       (?:https?|xh) -a[ \t]{1,4}["']?[\w.@-]{1,60}:
    openssl passwd -6 %                  openssl                      openssl passwd[ \t](?:-\w{1,6}[ \t]){1,4}
    rclone config create a sftp pass %   rclone config                rclone config (?:create|update)${REST}pass[ \t]
    restic --password-command 'echo %' init   password-command             password-command[= ]["']?echo[ \t]{1,4}\\{0,3}
    radtest ann % 127.0.0.1 0 shared     radtest                      radtest[ \t]{1,4}\S{1,60}[ \t]{1,4}
    snmpwalk -v2c -c % host              snmp                         snmp(?:walk|get|set|bulkwalk)${REST}-c${TO_VALUE}
    unrar x -p% a.rar                    unrar                        rar[ \t]{1,4}[axe][ \t]{1,4}(?:\S{1,80}[ \t]{1,4}){0,4}?-h?p
    security add-generic-password -a ann -w %   generic-password|internet-password   add-(?:generic|internet)-password${REST}-w${TO_VALUE}
    apksigner sign --ks-pass pass:%      ks-pass|-passin|-passout     -{1,2}[\w-]{0,20}pass(?:in|out|word)?[ \t=]pass:
    pdftk a.pdf user_pw %                user_pw|owner_pw|input_pw    (?:user|owner|input)_pw[ \t]{1,4}
    cargo login %                        cargo login|ngrok |bw unlock|vault login   (?:cargo login|ngrok (?:config add-)?authtoken|bw unlock|vault login)[ \t]{1,4}(?:token=)?(?![-$(]|with |to |is |and )
    poetry config http-basic.a ann %     http-basic.                  http-basic\.\S{1,80}[ \t]{1,4}\S{1,80}[ \t]{1,4}
    etcdctl --user ann:% get a           etcdctl|jenkins-cli|--proxy-user   (?:etcdctl|jenkins-cli|curl)${REST}(?:-a|-auth|--auth|--user|--proxy-user)[ \t=]{1,4}["']?[\w.@-]{1,60}:(?!\/\/)
    cmdkey /add:a /user:b /pass:%        cmdkey|schtasks              (?:cmdkey|wmic|net|schtasks|runas)${REST}\/(?:pass|password|rp)[: ]
    rclone obscure %                     rclone obscure               rclone obscure[ \t]{1,4}
    rabbitmqctl add_user a %             rabbitmqctl                  rabbitmqctl${REST}(?:add_user|change_password)[ \t]{1,4}\S{1,80}[ \t]{1,4}
    wpa_passphrase home %                wpa_passphrase               wpa_passphrase[ \t]{1,4}(?:"[^"\n]{1,40}"|\S{1,40})[ \t]{1,4}
    sqlplus ann/%@db                     sqlplus|sqlldr|impdp|expdp|thin:   (?:sqlplus|sqlldr|impdp|expdp|thin:)(?:[ \t](?:-\w{1,2}[ \t])?)?["']?\w{1,40}\/(?=[^\s"'/@]{3,80}@|"[^"\n]{3,80}"@)
    ann:%@tcp(db:3306)/app               @tcp(|@unix(                 [\w.-]{1,60}:(?=[^\s"'\x60@/]{3,100}@(?:tcp|unix)\()
    lftp -u ann,% host                   lftp                         lftp${REST}-u[ \t]{1,4}["']?[^\s"',]{1,80},
    htpasswd -b .htpasswd a %            htpasswd                     htpasswd[ \t](?:-\w{1,4}[ \t]){0,4}-\w{0,3}b\w{0,3}(?:[ \t]-\w{1,4}){0,4}[ \t]{1,4}\S{1,100}[ \t]\S{1,80}[ \t]
  `),
  loginRow(
    [": \\\\", "use \\\\"],
    String.raw`net use[ \t]{1,4}(?:\S{1,4}[ \t]{1,4})?\\{2,8}\S{1,120}[ \t]{1,4}(?![/*])`,
    "net use Z: \\\\nas\\a % /user:b",
  ),
  loginRow(
    ["twine", "cqlsh", "psexec", "PsExec", "hdbsql", "unlock-keychain", "ncftp"],
    String.raw`(?:twine|cqlsh|psexec\d{0,2}|PsExec\d{0,2}|hdbsql|unlock-keychain|ncftp\w{0,5})${REST}-p${TO_VALUE}`,
    "twine upload -u ann -p % dist/a",
  ),
  loginRow(
    ["config set ", "configure set "],
    String.raw`(?:config|configure) set[ \t]{1,4}(?:--?\S{1,40}[ \t]){0,3}[^\s=]{0,80}(?:passw|secret|token|_auth|api[_-]?key)[^\s=]{0,40}[ \t=]`,
    "aws configure set aws_secret_access_key %",
  ),
  loginRow(
    ["AUTH "],
    String.raw`(?:[\d\w]> ?|redis[^\n]{0,40}|(?:^|\n)(?=AUTH \S+[ \t]*(?:\n|$)))AUTH[ \t]{1,4}(?!LOGIN|PLAIN|XOAUTH|CRAM|is |and |or )(?:[\w.-]{1,40}[ \t](?=\S{3,200}[ \t]*(?:\n|$)))?`,
    "127.0.0.1:6379> AUTH %",
  ),
  // Passwords piped to a program that reads a credential.
  ...loginRows(String.raw`
    sudo -S <<< '%' true         <<         (?:sudo -S|-stdin|passwd|secrets? (?:set|put|create)|cryptsetup)\b[^\n|;&<]{0,60}<<<[ \t]?
    cryptsetup open a <<EOF\n%   <<         (?:-stdin|secrets? (?:set|put|create)|cryptsetup)\b[^\n|;&<]{0,80}<<-?[ \t]?["']?\w{2,20}["']?(?:\n|\\n)
    htpasswd -nb ann %           htpasswd   htpasswd[ \t](?=-\w{0,3}n)-\w{0,3}b\w{0,3}[ \t]{1,4}\S{1,80}[ \t]
    echo 'a:%' | chpasswd        chpasswd   echo[ \t]["']?[\w.-]{1,40}:(?=[^\s"']{3,200}["']?[ \t]*\|[ \t]*(?:sudo[ \t])?chpasswd)
  `),
  loginRow(
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
  // Commands that store a credential under any name.
  ...loginRows(String.raw`
    kubectl create secret generic a --from-literal=b=%   --from-literal    --from-literal[= ]["']?${SHELL_NAME}=
    fly secrets set HOOK=%               secrets set       secrets set[ \t](?:\w{1,60}=\S{1,200}[ \t]){0,8}?\w{1,60}=
    gh secret set HOOK --body %          secret set        secret set[ \t][^\n|;&]{0,120}?(?:--body[ \t=]|-b[ \t]?|--(?:secret-)?value[ \t=])
    aws secretsmanager create-secret --secret-string %   --secret-string   --secret-string[ \t=](?!file:|["']?\{)
    aws ssm put-parameter --type SecureString --value %   SecureString      put-parameter[ \t](?=[^\n]{0,300}SecureString)[^\n]{0,200}?--value[ \t=]
    pulumi config set --secret a %       t --secret        config set --secret[ \t]{1,4}\S{1,80}[ \t]{1,4}
  `),
  loginRow(
    ["config:set"],
    String.raw`config:set[ \t](?:-\S{1,20}[ \t](?:[\w-]{1,40}[ \t])?)?(?:\w{1,60}=\S{1,200}[ \t]){0,8}?\w{0,60}(?:PASS|SECRET|TOKEN|KEY|PW|AUTH|HOOK|DSN)\w{0,40}=`,
    "heroku config:set APP_HOOK=%",
  ),
  // Commands that print a credential.
  loginRow(
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
  loginRow(
    ["base64 -d", "base64 --d", "base64 -D"],
    String.raw`(?:password|secret|token)[^\n]{0,80}\| ?base64 (?:-d|-D|--decode)\b[^\n]{0,20}(?:\n|\\n)(?=[^\s\\]{4,200}(?:[\s\\]|$))(?![$#%{[|-])`,
    "kubectl get secret a -o jsonpath='{.data.password}' | base64 -d\n%",
  ),
  loginRow(
    ["cat /", "cat ~", "cat ."],
    String.raw`\$ (?:sudo )?cat \S{0,100}(?:passw(?:or)?d|secret|token|\.cookie|user-pass)(?:\.txt)?(?:\n|\\n)(?:[\w.@-]{2,60}(?:\n|\\n)(?=\S{4,100}(?:\n|$)))?(?=[^\s\\:]{4,200}(?:[\s\\]|$))(?![$#%{[|<-])`,
    "$ cat /run/secrets/db_password\n%",
  ),
  // Function arguments, and login files such as .netrc.
  ...loginRows(String.raw`
    bcrypt.hash('%', 10)             bcrypt.|assword   (?:bcrypt\.(?:hash|compare)(?:Sync)?|(?:hash|make|check|verify|encrypt|encode|compare|change|update)_?[Pp]assword)\(\s{0,4}(?=["'])
    jwt.sign(claims, '%')            jwt.              jwt\.(?:sign|verify|encode|decode)\([^;\n]{0,120}?,\s{0,4}(?=["'][^"'\n]{6,200}["']\s{0,4}[,)])(?!["'](?:HS|RS|ES)\d)
    createHmac('sha256', '%')        createHmac        createHmac\(\s{0,4}["']\w{1,20}["']\s{0,4},\s{0,4}(?=["'])
    ConvertTo-SecureString '%'       SecureString      ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?(?!-|\$)
    expect 'assword:'\nsend '%'      assword           assword[^\n]{0,40}\n?\s{0,20}send[ \t](?:--[ \t])?(?=["'])
    machine a.b login c password %   machine |         machine${GAP}\S{1,200}${GAP}login${GAP}\S{1,200}${GAP}password${GAP}
    db:5432:app:ann:%                :5432:|:*:*:      :(?:5432|\*):[\w*.-]{1,60}:[\w*.-]{1,60}:
  `),
  // Calls with a user name and then the password: as the second argument, or as the third.
  ...callRows(
    1,
    String.raw`
    req.SetBasicAuth('ann', '%')                         asicAuth|asic_auth|BasicAuth   basic_?auth
    new NetworkCredential('ann', '%')                    Credential                     credentials?(?:\.basic)?
    new UsernamePasswordAuthenticationToken('ann', '%')   AuthenticationToken            AuthenticationToken
    get(url, auth=('ann', '%'))                          auth=(                         auth[ \t]?=[ \t]?
    client.login('ann', '%')                             ogin(                          (?:login|authenticate)
  `,
  ),
  ...callRows(
    2,
    String.raw`
    smtp.PlainAuth('', 'ann', '%')        PlainAuth                        PlainAuth
    DBI->connect('dbi:a', 'ann', '%')     >connect(                        >connect(?=\()
    Net::FTP.open('host', 'ann', '%')     FTP                              FTP(?:.open)?(?=\()
    database('db', 'ann', '%')            atabase(                         database(?=\()
    getConnection('jdbc:a', 'ann', '%')   getConnection|PDO(               (?:getConnection|\bPDO)(?=\()
    mysqli_connect('db', 'ann', '%')      mysql                            mysqli?(?:_connect)?(?=\()
    create_user('ann', 'a@b.c', '%')      create_user(|create_superuser(   create_(?:super)?user(?=\()
  `,
  ),
  // All values of a Kubernetes secret. If a line could match in two ways, the time would be exponential.
  {
    name: "credential",
    hints: ["stringData:"],
    pattern: () =>
      /(?:\n|\\n)[ \t]{1,20}[\w.-]{1,60}:[ \t]{1,4}["']?(?<=stringData:[ \t]{0,4}(?:(?:\n|\\n)[ \t][^\n\\]{0,320}){1,20})([^\s"'|>{&*!#][^\n"'\\]{2,300})(?=["'\n\\]|$)/g,
    sample: `stringData:\n  dsn: ${SAMPLE_PASSWORD}`,
    accept: (_, value) => !isPlaceholder(value),
  },
  {
    name: "credential",
    hints: ["redentials", "ugangsdaten", "dentifiants"],
    pattern: () =>
      /(?:\n|\\n)[ \t*-]{0,20}[\w.@-]{2,60}:(?<=(?:credentials|zugangsdaten|identifiants)[^\n\\]{0,60}:[ \t]{0,4}(?:(?:\n|\\n)[^\n\\]{0,200}){1,10})([^\s:/"'{[\\][^\s:"'\\]{4,100})(?=[\s"\\]|$)/gi,
    sample: `Credentials for the demo:\n  admin:${SAMPLE_PASSWORD}`,
    accept: (_, value) => !isPlaceholder(value) && !isHarmless(value),
  },
  {
    name: "credential",
    hints: ["ENV ", "ARG ", "set -", "setx "],
    pattern: lazy(
      String.raw`(?:ENV|ARG|set -[a-zA-Z]{1,3}|setx)[ \t]{1,4}(\w{0,60}(?:${WORDS}))[ \t]{1,4}${VALUE}`,
      "gi",
    ),
    sample: `ENV DB_PASSWORD ${SAMPLE_PASSWORD}`,
    accept: ([, key = ""], value) =>
      !isPlaceholder(value) && (STRONG_KEY.test(key) || (isMixed(value) && !isName(value))),
  },
  {
    name: "credential",
    hints: ["IDENTIFIED", "identified", "PASSWORD '", "password '"],
    pattern: () =>
      /\b(?:identified\s{1,4}(?:with\s{1,4}\w{1,40}\s{1,4})?by|with\s{1,4}(?:encrypted\s{1,4})?password)\s{1,4}(?:password\s{1,4})?(?:'([^'\n]{3,200})(?=')|"([^"\n]{3,200})(?=")|(?<=\b(?:user|role)\s[^\n;]{1,80})(?!values|external|global|random|password|with)([a-z][\w#!]{3,60})(?=[ \t;]))/gi,
    sample: `CREATE USER a IDENTIFIED BY '${SAMPLE_PASSWORD}'`,
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
