// Credentials as they occur in agent sessions, and harmless texts. The filter is tuned on these.
import type { Corpus } from "../measure-corpus.ts";

export const CORPUS: Corpus = {
  secrets: [
    {
      kind: "dotenv",
      text:
        "# local overrides, do not commit\n" +
        "NODE_ENV=development\n" +
        "PORT=4310\n" +
        "DB_USER=orders\n" +
        "DB_PASSWORD=marmalade\n" +
        "LOG_LEVEL=debug",
      values: ["marmalade"],
    },
    {
      kind: "dotenv",
      text:
        "MAIL_HOST=smtp.hafen.example\n" +
        'MAIL_PASSWORD="!Sonnenblume im Regen"\n' +
        "MAIL_FROM=noreply@hafen.example",
      values: ["!Sonnenblume im Regen", "Sonnenblume", "Regen"],
    },
    {
      kind: "dotenv",
      text: "export REDIS_PASS='#Kaltblut#'\n" + "export REDIS_DB=2",
      values: ["#Kaltblut#"],
    },
    {
      kind: "dotenv",
      text: "APP_KEY=base64:rhTuvqCdmPG0tmKXPDZpAemm1za7v0fHhvjwdbT2HwD=\n" + "APP_DEBUG=true",
      values: ["rhTuvqCdmPG0tmKXPDZpAemm1za7v0fHhvjwdbT2HwD"],
    },
    {
      kind: "dotenv",
      text: "SMTP_PW = $unflower\n" + "SMTP_USER = postmaster",
      values: ["$unflower"],
    },
    {
      kind: "dotenv",
      text: "SESSION_SECRET=@lleMeineEntchen\n" + "CSRF_COOKIE=xsrf",
      values: ["@lleMeineEntchen"],
    },
    {
      kind: "dotenv",
      text: "KEYCLOAK_ADMIN=admin\n" + "KEYCLOAK_ADMIN_PASSWORD=Fr4nz.Beckenbauer\n" + "KC_HTTP_PORT=8081",
      values: ["Fr4nz.Beckenbauer"],
    },
    {
      kind: "dotenv",
      text: "LDAP_BIND_DN=cn=svc,dc=firm,dc=example\n" + "LDAP_BIND_CREDENTIALS=process.Kafka1915",
      values: ["process.Kafka1915"],
    },
    {
      kind: "dotenv",
      text: "JWT_SECRET=this-is-not-a-drill-captain\n" + "JWT_EXPIRES=3600",
      values: ["this-is-not-a-drill-captain"],
    },
    {
      kind: "dotenv",
      text: "MINIO_ROOT_USER=storage\n" + "MINIO_ROOT_PASSWORD=ÄpfelUndBirnen",
      values: ["ÄpfelUndBirnen"],
    },
    {
      kind: "dotenv",
      text: "DJANGO_SECRET_KEY='w!8$k)e3x@_q0n+z^4l#7h(v5&bt-y%2=r*1s9u6'\n" + "DJANGO_SETTINGS_MODULE=shop.settings",
      values: ["w!8$k)e3x@_q0n+z^4l#7h(v5&bt-y%2=r*1s9u6", "k)e3x@_q0n"],
    },
    {
      kind: "dotenv",
      text:
        "     1\tPGHOST=db.internal\n" +
        "     2\tPGUSER=billing\n" +
        "     3\tPGPASSWORD=Bernina Express 4049\n" +
        "     4\tPGDATABASE=billing",
      values: ["Bernina Express 4049", "Express 4049"],
    },
    {
      kind: "dotenv",
      text:
        "+RABBITMQ_DEFAULT_PASS=Hoppelhase\n" + "-RABBITMQ_DEFAULT_PASS=Osterglocke\n" + " RABBITMQ_DEFAULT_USER=bus",
      values: ["Hoppelhase", "Osterglocke"],
    },
    {
      kind: "dotenv",
      text: "ENCRYPTION_PASSPHRASE=velvet-otter-lantern-mosaic\n" + "BACKUP_TARGET=/mnt/nas",
      values: ["velvet-otter-lantern-mosaic"],
    },
    {
      kind: "dotenv",
      text: "TWILIO_AUTH_TOKEN=acb3dea13519a60a077bbd142880e842\n" + "TWILIO_FROM=+15550102030",
      values: ["acb3dea13519a60a077bbd142880e842"],
    },
    {
      kind: "dotenv",
      text: "BASIC_AUTH=stage:Himbeereis!\n" + "SITE=https://stage.example.org",
      values: ["Himbeereis!"],
    },
    {
      kind: "dotenv",
      text: "CLIENT_SECRET=Zaphod8~Beeblebrox_Trillian.42\n" + "CLIENT_ID=portal-web",
      values: ["Zaphod8~Beeblebrox_Trillian.42"],
    },
    {
      kind: "dotenv",
      text: "DB_PASSWORD\u00a0=\u00a0Weichsel1987\n" + "DB_NAME\u00a0=\u00a0archiv",
      values: ["Weichsel1987"],
    },
    {
      kind: "dotenv",
      text:
        "\u001b[36mADMIN_PASSWORD\u001b[0m=\u001b[33mGummistiefel\u001b[0m\n" +
        "\u001b[36mADMIN_EMAIL\u001b[0m=\u001b[33mops@example.net\u001b[0m",
      values: ["Gummistiefel"],
    },
    {
      kind: "dotenv",
      text: "FTP_HOST=ftp.example.net\n" + "FTP_PWD=пароль-сирень\n" + "FTP_PASSIVE=1",
      values: ["пароль-сирень"],
    },
    {
      kind: "dotenv",
      text: "POSTGRES_PASSWORD=`rm-rf~slash`\n" + "POSTGRES_USER=app",
      values: ["rm-rf~slash"],
    },
    {
      kind: "yaml",
      text: "database:\n" + "  user: reporting\n" + "  password: Rumpelstilzchen\n" + "  pool: 5",
      values: ["Rumpelstilzchen"],
    },
    {
      kind: "yaml",
      text: "smtp:\n" + "  username: mailer\n" + "  password: |\n" + "    Quecksilber\n" + "  port: 587",
      values: ["Quecksilber"],
    },
    {
      kind: "yaml",
      text: "vault_passphrase: >-\n" + "  the tide brings\n" + "  forgotten umbrellas\n" + "timeout: 30",
      values: ["the tide brings", "forgotten umbrellas"],
    },
    {
      kind: "yaml",
      text:
        "auth:\n" + "  - user: lena\n" + '    pass: "@Kieselstein"\n' + "  - user: omar\n" + "    pass: 'Dattel''baum'",
      values: ["@Kieselstein", "Dattel''baum"],
    },
    {
      kind: "yaml",
      text:
        "spring:\n" +
        "  datasource:\n" +
        "    url: jdbc:mysql://db:3306/shop\n" +
        "    username: shop\n" +
        "    password: cfg9.Nordlicht",
      values: ["cfg9.Nordlicht"],
    },
    {
      kind: "yaml",
      text: "users: {anna: {password: Pfefferkuchen, role: admin}, ben: {password: Lebkuchenhaus, role: ro}}",
      values: ["Pfefferkuchen", "Lebkuchenhaus"],
    },
    {
      kind: "yaml",
      text:
        "production:\n" +
        "  secret_key_base: 7abeec12975fd55911ea2cbd390b656a4d2bad821df997d529975dcb6de0703b4ab7ed013e50181d960e9558c1530a493afbb8b64cb580fac27cd8995efeba90\n" +
        "  force_ssl: true",
      values: [
        "7abeec12975fd55911ea2cbd390b656a4d2bad821df997d529975dcb6de0703b4ab7ed013e50181d960e9558c1530a493afbb8b64cb580fac27cd8995efeba90",
      ],
    },
    {
      kind: "yaml",
      text: "grafana:\n" + "  adminUser: admin\n" + "  adminPassword: !!str Zwetschge2023\n" + "  replicas: 1",
      values: ["Zwetschge2023"],
    },
    {
      kind: "yaml",
      text:
        "all:\n" +
        "  hosts:\n" +
        "    web01:\n" +
        "      ansible_host: 10.2.0.11\n" +
        "      ansible_user: deploy\n" +
        "      ansible_become_pass: Fledermaus!\n" +
        '      ansible_ssh_pass: "Tu Felix Austria"',
      values: ["Fledermaus!", "Tu Felix Austria", "Felix Austria"],
    },
    {
      kind: "yaml",
      text: "# group_vars/db.yml\n" + "mysql_root_password: &rootpw Grashuepfer77\n" + "mysql_port: 3306",
      values: ["Grashuepfer77"],
    },
    {
      kind: "yaml",
      text: "credentials:\n" + "  ? password\n" + "  : Kirschbluete\n" + "  ? username\n" + "  : yuki",
      values: ["Kirschbluete"],
    },
    {
      kind: "yaml",
      text:
        "wifi:\n" +
        '  ssid: "Werkstatt"\n' +
        '  password: "Schraubenzieher 13mm"\n' +
        "ota:\n" +
        '  password: "flashmeplease"',
      values: ["Schraubenzieher 13mm", "13mm", "flashmeplease"],
    },
    {
      kind: "yaml",
      text: "mqtt:\n" + "  broker: mosquitto.lan\n" + "  username: sensor\n" + "  password: 31415926",
      values: ["31415926"],
    },
    {
      kind: "yaml",
      text:
        "authelia:\n" +
        "  jwt_secret: unicorns_wear_galoshes\n" +
        "  session:\n" +
        "    secret: insulin-trumpet-pavement\n" +
        "  storage:\n" +
        "    encryption_key: you_shall_not_pass_gandalf",
      values: ["unicorns_wear_galoshes", "insulin-trumpet-pavement", "you_shall_not_pass_gandalf"],
    },
    {
      kind: "yaml",
      text: "homeassistant_secrets: secrets.yaml\n" + "http_password: Türklinke_offen\n" + "latitude: 47.5",
      values: ["Türklinke_offen"],
    },
    {
      kind: "yaml",
      text:
        " 12 | services:\n" +
        " 13 |   imap:\n" +
        " 14 |     login: archive@firm.example\n" +
        " 15 |     password: Drachenfels\n" +
        " 16 |     tls: true",
      values: ["Drachenfels"],
    },
    {
      kind: "json",
      text:
        "{\n" +
        '  "host": "sftp.partner.example",\n' +
        '  "username": "edi",\n' +
        '  "password": "Zimtstern",\n' +
        '  "port": 22\n' +
        "}",
      values: ["Zimtstern"],
    },
    {
      kind: "json",
      text: '{"db":{"user":"sa","pwd":"Pa\\"ss\\\\word\\u00e9","encrypt":true}}',
      values: ['Pa\\"ss\\\\word\\u00e9'],
    },
    {
      kind: "json",
      text: '{"role":"tool","content":"{\\"login\\":\\"mara\\",\\"password\\":\\"Blaubeermuffin\\",\\"otp\\":false}"}',
      values: ["Blaubeermuffin"],
    },
    {
      kind: "json",
      text: '{"type":"tool_result","content":"$ cat .env\\nDB_HOST=db\\nDB_PASS=Pusteblume\\nDB_PORT=5432\\n"}',
      values: ["Pusteblume"],
    },
    {
      kind: "json",
      text:
        "[\n" +
        '  { "key": "db.password", "value": "Wolkenkratzer" },\n' +
        '  { "key": "db.host", "value": "pg-main" }\n' +
        "]",
      values: ["Wolkenkratzer"],
    },
    {
      kind: "json",
      text: '{"Parameters":[{"Name":"/shop/prod/db/password","Type":"SecureString","Value":"Eichhoernchen","Version":4}]}',
      values: ["Eichhoernchen"],
    },
    {
      kind: "json",
      text:
        "{\n" +
        '    "Name": "prod/ledger",\n' +
        '    "SecretString": "{\\"username\\":\\"ledger\\",\\"password\\":\\"Zugspitze-Nord\\"}",\n' +
        '    "VersionStages": ["AWSCURRENT"]\n' +
        "}",
      values: ["Zugspitze-Nord"],
    },
    {
      kind: "json",
      text:
        "{\n" +
        '    "ARN": "arn:aws:secretsmanager:eu-central-1:111122223333:secret:smtp-AbCdEf",\n' +
        '    "Name": "smtp",\n' +
        '    "SecretString": "Kokosnuss am Strand",\n' +
        '    "CreatedDate": 1715000000.0\n' +
        "}",
      values: ["Kokosnuss am Strand", "Strand"],
    },
    {
      kind: "json",
      text: '{"kty":"EC","crv":"P-256","x":"PJAVA1BmzWimLVDP5GJtRd8oSJ_lNz5r-J_8u_M7AsZ","y":"7nrsoTV75Y4sxVe9RWlBaTF6E9CPcgYBy9Lmr4PaWbP","d":"3gvY1pIXoQOrgRb5vPG5c6qSYhzYTFQy6k1qJAH4DxD","kid":"sig-2024"}',
      values: ["3gvY1pIXoQOrgRb5vPG5c6qSYhzYTFQy6k1qJAH4DxD"],
    },
    {
      kind: "json",
      text: '{"kty":"oct","alg":"HS256","k":"3EoA1zCC_A4cGofFQrGZ7iHyEpp2LNY2PG17-Dum2Jn"}',
      values: ["3EoA1zCC_A4cGofFQrGZ7iHyEpp2LNY2PG17-Dum2Jn"],
    },
    {
      kind: "json",
      text:
        "{\n" +
        '  "auths": {\n' +
        '    "registry.example.io": {\n' +
        '      "auth": "ZGVwbG95OkhhdXB0c3RhZHQ5OQ=="\n' +
        "    }\n" +
        "  }\n" +
        "}",
      values: ["ZGVwbG95OkhhdXB0c3RhZHQ5OQ=="],
    },
    {
      kind: "json",
      text: '{"ConnectionStrings":{"Default":"Server=sql01;Database=crm;User Id=crm;Password=Vogelhaus;Encrypt=true"},"Smtp":{"Password":"Nachtigall"}}',
      values: ["Nachtigall", "Vogelhaus"],
    },
    {
      kind: "json",
      text: '{ "mcpServers": { "jira": { "command": "npx", "args": ["jira-mcp", "--user", "lea", "--password", "Kaktusbluete"], "env": { "JIRA_API_SECRET": "ocean.Breeze" } } } }',
      values: ["Kaktusbluete", "ocean.Breeze"],
    },
    {
      kind: "json",
      text: '{"access_token":"opaque-Siebenschlaefer-8842","refresh_token":"rt~Winterschlaf~0099","token_type":"Bearer","expires_in":3600}',
      values: ["opaque-Siebenschlaefer-8842", "rt~Winterschlaf~0099"],
    },
    {
      kind: "json",
      text: '{"env":[{"name":"LOG","value":"info"},{"name":"GRAPH_PASSWORD","value":"Pinguin im Frack"}]}',
      values: ["Pinguin im Frack", "Frack"],
    },
    {
      kind: "json",
      text: '"launch": { "env": { "SAP_PASSWD": "Init1234!", "SAP_CLIENT": "100" } }',
      values: ["Init1234!"],
    },
    {
      kind: "json",
      text: '{"user":{"email":"z@example.cn","密码":"长城万里行","locale":"zh"}}',
      values: ["长城万里行"],
    },
    {
      kind: "toml",
      text: "[database]\n" + 'server = "pg.internal"\n' + 'password = "Streuselkuchen"\n' + "port = 5432",
      values: ["Streuselkuchen"],
    },
    {
      kind: "toml",
      text: "[auth]\n" + "secret = '''\n" + "Milchstrasse\n" + "'''\n" + "ttl = 60",
      values: ["Milchstrasse"],
    },
    {
      kind: "toml",
      text: "[[registry]]\n" + 'name = "corp"\n' + 'login = { user = "ci", password = "Wackel.Pudding" }',
      values: ["Wackel.Pudding"],
    },
    {
      kind: "toml",
      text:
        "[connections.prod]\n" +
        'account = "xy12345"\n' +
        'user = "LOADER"\n' +
        'password = "Snow!Flöckchen"\n' +
        'warehouse = "ETL"',
      values: ["Snow!Flöckchen"],
    },
    {
      kind: "toml",
      text: "[http-basic.corp]\n" + 'username = "builder"\n' + 'password = """Don Quijote de la Mancha"""',
      values: ["Don Quijote de la Mancha", "Mancha"],
    },
    {
      kind: "ini",
      text: "[client]\n" + "user=root\n" + "password=Gartenzwerg\n" + "host=127.0.0.1",
      values: ["Gartenzwerg"],
    },
    {
      kind: "ini",
      text: "[mail]\n" + "user : postmaster\n" + "pass : !Apfelstrudel\n" + "port : 465",
      values: ["!Apfelstrudel"],
    },
    {
      kind: "ini",
      text: "; ODBC\n" + "[erp]\n" + "Driver=FreeTDS\n" + "UID=erp\n" + "PWD=Leuchtturm\n" + "Server=erp01",
      values: ["Leuchtturm"],
    },
    {
      kind: "ini",
      text:
        "[nas]\n" +
        "type = sftp\n" +
        "user = backup\n" +
        "pass = kOGORtaUrvPq09OIvEzwj9qYUCs19aVmP2GuaE\n" +
        "host = nas.lan",
      values: ["kOGORtaUrvPq09OIvEzwj9qYUCs19aVmP2GuaE"],
    },
    {
      kind: "ini",
      text: "[global]\n" + "extra-index-url = https://bot:Ameisenhaufen@pypi.corp.example/simple",
      values: ["Ameisenhaufen"],
    },
    {
      kind: "ini",
      text:
        "[supervisord]\n" +
        "[inet_http_server]\n" +
        "port=127.0.0.1:9001\n" +
        "username=sup\n" +
        "password=Erdmännchen",
      values: ["Erdmännchen"],
    },
    {
      kind: "properties",
      text: "spring.mail.username=bot\n" + "spring.mail.password=Kastanie\n" + "spring.mail.port=25",
      values: ["Kastanie"],
    },
    {
      kind: "properties",
      text:
        "# keystore\n" +
        "server.ssl.ke" +
        "y-store=classpath:store.p12\n" +
        "server.ssl.ke" +
        "y-store-password=changeOfHeart\n" +
        "server.ssl.ke" +
        "y-alias=web",
      values: ["changeOfHeart"],
    },
    {
      kind: "properties",
      text: "sonar.login=scanner\n" + "sonar.password: Fjord\\=Norwegen",
      values: ["Fjord\\=Norwegen", "Norwegen"],
    },
    {
      kind: "properties",
      text: "jdbc.pw Maultasche\n" + "jdbc.user stage",
      values: ["Maultasche"],
    },
    {
      kind: "properties",
      text:
        "storePassword=Android gewinnt\n" +
        "keyPassword=Android verliert\n" +
        "keyAlias=upload\n" +
        "storeFile=../upload.jks",
      values: ["Android gewinnt", "Android verliert", "gewinnt", "verliert"],
    },
    {
      kind: "xml",
      text:
        "<server>\n" +
        "  <id>nexus</id>\n" +
        "  <username>deployer</username>\n" +
        "  <password>Blumenkohl</password>\n" +
        "</server>",
      values: ["Blumenkohl"],
    },
    {
      kind: "xml",
      text: '<add key="SmtpPassword" value="Rosenmontag" />\n' + '<add key="SmtpHost" value="mail.example" />',
      values: ["Rosenmontag"],
    },
    {
      kind: "xml",
      text:
        '<Resource name="jdbc/main" username="tomcat"\n' +
        '          password="Kater&amp;Maus"\n' +
        '          driverClassName="org.postgresql.Driver"/>',
      values: ["Kater&amp;Maus"],
    },
    {
      kind: "xml",
      text: '<user username="manager" password=\'Zebra.Streifen\' roles="manager-gui"/>',
      values: ["Zebra.Streifen"],
    },
    {
      kind: "xml",
      text:
        "<credential>\n" +
        '  <property name="user">ftp</property>\n' +
        '  <property name="password"><![CDATA[<Spitzmaus>]]></property>\n' +
        "</credential>",
      values: ["<Spitzmaus>", "Spitzmaus"],
    },
    {
      kind: "xml",
      text:
        "<wsse:UsernameToken>\n" +
        "  <wsse:Username>edi-out</wsse:Username>\n" +
        '  <wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">Brieftaube</wsse:Password>\n' +
        "</wsse:UsernameToken>",
      values: ["Brieftaube"],
    },
    {
      kind: "xml",
      text:
        "<key>ApiSecret</key>\n" +
        "<string>Mondfinsternis</string>\n" +
        "<key>BundleName</key>\n" +
        "<string>Kiosk</string>",
      values: ["Mondfinsternis"],
    },
    {
      kind: "xml",
      text:
        "<AutoLogon>\n" +
        "  <Password>\n" +
        "    <Value>Heidelbeere</Value>\n" +
        "    <PlainText>true</PlainText>\n" +
        "  </Password>\n" +
        "  <Username>installer</Username>\n" +
        "</AutoLogon>",
      values: ["Heidelbeere"],
    },
    {
      kind: "xml",
      text:
        "<packageSourceCredentials>\n" +
        "  <Corp>\n" +
        '    <add key="Username" value="ci" />\n' +
        '    <add key="ClearTextPassword" value="Rübezahl" />\n' +
        "  </Corp>\n" +
        "</packageSourceCredentials>",
      values: ["Rübezahl"],
    },
    {
      kind: "html",
      text:
        '<form action="/login" method="post">\n' +
        '  <input name="user" value="kiosk">\n' +
        '  <input type="password" name="password" value="Sandkasten">\n' +
        "</form>",
      values: ["Sandkasten"],
    },
    {
      kind: "html",
      text: '<input value="Kuckucksuhr" type="password" id="pw">',
      values: ["Kuckucksuhr"],
    },
    {
      kind: "html",
      text:
        "<tr><th>Password</th><td><code>Donnerwetter</code></td></tr>\n" + "<tr><th>Host</th><td>10.0.0.4</td></tr>",
      values: ["Donnerwetter"],
    },
    {
      kind: "netrc",
      text: "machine git.example.com\n" + "  login ci-bot\n" + "  password Wanderschuhe",
      values: ["Wanderschuhe"],
    },
    {
      kind: "netrc",
      text: "machine api.example.com login robot password !quokka.Smile account main",
      values: ["!quokka.Smile"],
    },
    {
      kind: "pgpass",
      text: "# ~/.pgpass\n" + "db.internal:5432:orders:orders_rw:Kartoffelsalat",
      values: ["Kartoffelsalat"],
    },
    {
      kind: "npmrc",
      text:
        "registry=https://npm.corp.example/\n" +
        "//npm.corp.example/:_password=S2FydG9mZmVsNzc=\n" +
        "//npm.corp.example/:username=ci",
      values: ["S2FydG9mZmVsNzc="],
    },
    {
      kind: "npmrc",
      text: '//npm.corp.example/:_auth="Y2k6UmVnZW5ib2dlbg=="\n' + "always-auth=true",
      values: ["Y2k6UmVnZW5ib2dlbg=="],
    },
    {
      kind: "conf",
      text: "# redis.conf\n" + "bind 127.0.0.1\n" + "requirepass Seepferdchen\n" + "maxmemory 64mb",
      values: ["Seepferdchen"],
    },
    {
      kind: "conf",
      text: 'masterauth "Nilpferd nachts"\n' + "replicaof 10.0.0.2 6379",
      values: ["Nilpferd nachts", "nachts"],
    },
    {
      kind: "conf",
      text: "network={\n" + '    ssid="Cafe"\n' + '    psk="zwei espresso bitte"\n' + "    key_mgmt=WPA-PSK\n" + "}",
      values: ["zwei espresso bitte", "espresso bitte"],
    },
    {
      kind: "conf",
      text: "user deploy on >Morgenmuffel ~* +@all\n" + "user default off",
      values: ["Morgenmuffel"],
    },
    {
      kind: "conf",
      text:
        "conn office\n" +
        "  left=%any\n" +
        "  right=vpn.example\n" +
        '%any vpn.example : PSK "Kugelfisch"\n' +
        'lea : EAP "Tintenfass"',
      values: ["Kugelfisch", "Tintenfass"],
    },
    {
      kind: "conf",
      text:
        "userlist ops\n" +
        "    user haadmin insecure-password Gletscher\n" +
        "    user viewer insecure-password !Lawine",
      values: ["Gletscher", "!Lawine"],
    },
    {
      kind: "conf",
      text: "smtp_sasl_password_maps = static:relay:Regenschirm\n" + "smtp_sasl_auth_enable = yes",
      values: ["Regenschirm"],
    },
    {
      kind: "conf",
      text:
        "snmp-server community Nebelhorn RO\n" +
        "username admin privilege 15 password 0 Zahnrad\n" +
        "enable secret 0 Kolbenring",
      values: ["Zahnrad", "Kolbenring"],
    },
    {
      kind: "conf",
      text: "bindpw Birkenallee12\n" + "binddn cn=nss,dc=firm,dc=example",
      values: ["Birkenallee12"],
    },
    {
      kind: "conf",
      text:
        "[Interface]\n" +
        "PrivateKey = sSuFfGuL8Opk+hjn45p/ed75CnrQSkZ5B70co8w7rqh=\n" +
        "Address = 10.8.0.2/24\n" +
        "[Peer]\n" +
        "PresharedKey = Y2yP+PTZSjQlojQU3G9dyPqAXen+CnLJIrKv71KdrUi=",
      values: ["sSuFfGuL8Opk+hjn45p/ed75CnrQSkZ5B70co8w7rqh", "Y2yP+PTZSjQlojQU3G9dyPqAXen+CnLJIrKv71KdrUi"],
    },
    {
      kind: "shell",
      text: "$ mysql -h db01 -u root --password Mandelkern shop",
      values: ["Mandelkern"],
    },
    {
      kind: "shell",
      text: "mysql -uroot -pHollunder shop < dump.sql",
      values: ["Hollunder"],
    },
    {
      kind: "shell",
      text: "mysqldump --user=backup --password='Q#uark taschen' --all-databases > all.sql",
      values: ["Q#uark taschen", "taschen"],
    },
    {
      kind: "shell",
      text: 'subprocess.run(["svn", "checkout", "--username", "ci", "--password", "Haselnuss", url])',
      values: ["Haselnuss"],
    },
    {
      kind: "shell",
      text: "java -Xmx2g -Djavax.net.ssl.keyStorePassword=Walnuss.Schale -jar app.jar",
      values: ["Walnuss.Schale"],
    },
    {
      kind: "shell",
      text: 'mvn deploy -Dnexus.user=ci -Dnexus.password="Erdnuss butter" -DskipTests',
      values: ["Erdnuss butter", "butter"],
    },
    {
      kind: "shell",
      text: "curl -sS -u reporter:Paranuss! https://api.example.org/v1/me",
      values: ["Paranuss!"],
    },
    {
      kind: "shell",
      text: 'curl --user "lars:Macadamia #1" \\\n' + "     --data @body.json https://api.example.org/import",
      values: ["Macadamia #1"],
    },
    {
      kind: "shell",
      text:
        "curl -X POST https://auth.example.org/token \\\n" +
        "  -d grant_type=password -d username=eva -d password=Cashewkern",
      values: ["Cashewkern"],
    },
    {
      kind: "shell",
      text:
        "docker login registry.example.org \\\n" + "  --username pusher \\\n" + "  --password \\\n" + "  Pistazieneis",
      values: ["Pistazieneis"],
    },
    {
      kind: "shell",
      text: "docker run -d -e MYSQL_ROOT_PASSWORD=Schnabeltier -p 3306:3306 mysql:8",
      values: ["Schnabeltier"],
    },
    {
      kind: "shell",
      text: "docker run --env 'RCON_PASSWORD=creeper aw man' -p 25565:25565 itzg/minecraft-server",
      values: ["creeper aw man", "aw man"],
    },
    {
      kind: "shell",
      text: "echo 'Lakritzstange' | docker login -u ci --password-stdin registry.example.org",
      values: ["Lakritzstange"],
    },
    {
      kind: "shell",
      text: 'echo "Zuckerwatte" | sudo -S systemctl restart nginx',
      values: ["Zuckerwatte"],
    },
    {
      kind: "shell",
      text: "sshpass -p 'Luftballon' ssh root@10.1.1.9 uptime",
      values: ["Luftballon"],
    },
    {
      kind: "shell",
      text: "sshpass -pSeifenblase scp build.tgz web@10.1.1.9:/srv",
      values: ["Seifenblase"],
    },
    {
      kind: "shell",
      text: "PGPASSWORD=Kaleidoskop psql -h db -U app -c 'select 1'",
      values: ["Kaleidoskop"],
    },
    {
      kind: "shell",
      text: '$env:DB_PASSWORD = "Fernrohr"\n' + "dotnet run",
      values: ["Fernrohr"],
    },
    {
      kind: "shell",
      text: "set MAIL_PASS=Kompass Nadel\n" + "python send.py",
      values: ["Kompass Nadel", "Nadel"],
    },
    {
      kind: "shell",
      text: 'setx API_SECRET "Sextant&Lot" /M',
      values: ["Sextant&Lot"],
    },
    {
      kind: "shell",
      text: "net use Z: \\\\filer\\projects Ankerkette /user:CORP\\mila /persistent:no",
      values: ["Ankerkette"],
    },
    {
      kind: "shell",
      text: "net user svc_scan Steuerrad! /add",
      values: ["Steuerrad!"],
    },
    {
      kind: "shell",
      text: "unzip -P Bugspriet export.zip -d /tmp/export",
      values: ["Bugspriet"],
    },
    {
      kind: "shell",
      text: "7z x -pTakelage backup.7z",
      values: ["Takelage"],
    },
    {
      kind: "shell",
      text: 'zip -r -e -P "Anker lichten" out.zip data/',
      values: ["Anker lichten", "lichten"],
    },
    {
      kind: "shell",
      text: "gpg --batch --yes --passphrase Kombuese -d secrets.gpg",
      values: ["Kombuese"],
    },
    {
      kind: "shell",
      text: "openssl pkcs12 -in c.p12 -passin pass:Bullauge -out c.pem -passout pass:Kajuete",
      values: ["Bullauge", "Kajuete"],
    },
    {
      kind: "shell",
      text: "openssl enc -aes-256-cbc -k Reling -in a.txt -out a.enc",
      values: ["Reling"],
    },
    {
      kind: "shell",
      text: "keytool -importkeystore -srcstorepass Galionsfigur -deststorepass Klabautermann -srckeystore a.jks",
      values: ["Galionsfigur", "Klabautermann"],
    },
    {
      kind: "shell",
      text: "kubectl create secret generic db --from-literal=username=app --from-literal=password=Muschelsucher -n prod",
      values: ["Muschelsucher"],
    },
    {
      kind: "shell",
      text: "kubectl create secret docker-registry reg --docker-server=r.example --docker-username=ci --docker-password=Bernsteinkette",
      values: ["Bernsteinkette"],
    },
    {
      kind: "shell",
      text: 'heroku config:set SESSION_SECRET=Strandkorb MAIL_PASSWORD="Ebbe und Flut" -a shop',
      values: ["Strandkorb", "Ebbe und Flut", "Flut"],
    },
    {
      kind: "shell",
      text: 'gh secret set DEPLOY_PASSWORD --body "Wattwanderung"',
      values: ["Wattwanderung"],
    },
    {
      kind: "shell",
      text: "gh secret set NPM_PASS -b Priel.Queller",
      values: ["Priel.Queller"],
    },
    {
      kind: "shell",
      text: "fly secrets set DATABASE_PASSWORD=Deichgraf REDIS_PASSWORD=Schimmelreiter",
      values: ["Deichgraf", "Schimmelreiter"],
    },
    {
      kind: "shell",
      text: "az keyvault secret set --vault-name kv-prod --name smtp-password --value Nordseekrabbe",
      values: ["Nordseekrabbe"],
    },
    {
      kind: "shell",
      text: "aws ssm put-parameter --name /web/db_password --type SecureString --value 'Hallig?Hooge'",
      values: ["Hallig?Hooge"],
    },
    {
      kind: "shell",
      text: "aws secretsmanager create-secret --name ftp --secret-string Fischbroetchen",
      values: ["Fischbroetchen"],
    },
    {
      kind: "shell",
      text: "aws rds create-db-instance --master-username adm --master-user-password Matjesfilet --db-instance-identifier x",
      values: ["Matjesfilet"],
    },
    {
      kind: "shell",
      text: "vault kv put secret/shop password=Kutterfahrt user=shop",
      values: ["Kutterfahrt"],
    },
    {
      kind: "shell",
      text: "vault login -method=userpass username=tim password=Leuchtfeuer_09",
      values: ["Leuchtfeuer_09"],
    },
    {
      kind: "shell",
      text: "redis-cli -h cache -a Windjammer --no-auth-warning ping",
      values: ["Windjammer"],
    },
    {
      kind: "shell",
      text: "127.0.0.1:6379> AUTH Sturmflut\n" + "OK\n" + "127.0.0.1:6379> PING",
      values: ["Sturmflut"],
    },
    {
      kind: "shell",
      text: '127.0.0.1:6379> CONFIG SET requirepass "Koggen hafen"\n' + "OK",
      values: ["Koggen hafen", "hafen"],
    },
    {
      kind: "shell",
      text: "ldapsearch -x -D cn=admin,dc=firm -w Rettungsring -b dc=firm uid=lea",
      values: ["Rettungsring"],
    },
    {
      kind: "shell",
      text: 'sqlcmd -S sql01 -U sa -P Schiffszwieback -Q "SELECT 1"',
      values: ["Schiffszwieback"],
    },
    {
      kind: "shell",
      text: "mongosh --host m1 -u root -p Krabbenkutter --authenticationDatabase admin",
      values: ["Krabbenkutter"],
    },
    {
      kind: "shell",
      text: 'ansible-playbook site.yml -e "ansible_become_password=Sandbank db_pass=Untiefe"',
      values: ["Sandbank", "Untiefe"],
    },
    {
      kind: "shell",
      text: "wget --http-user=lea --http-password=Buhne https://files.example/x.tgz",
      values: ["Buhne"],
    },
    {
      kind: "shell",
      text: "smbclient //nas/media -U kodi%Filmabend",
      values: ["Filmabend"],
    },
    {
      kind: "shell",
      text: 'echo "lena:Boje_am_Kai" | chpasswd',
      values: ["Boje_am_Kai"],
    },
    {
      kind: "shell",
      text: "useradd -m -p $(openssl passwd -1 Treibholz) kim",
      values: ["Treibholz"],
    },
    {
      kind: "shell",
      text: "htpasswd -b -c /etc/nginx/.htpasswd status Flaschenpost",
      values: ["Flaschenpost"],
    },
    {
      kind: "shell",
      text: "helm upgrade --install pg bitnami/postgresql --set auth.postgresPassword=Heringsschwarm --set auth.username=app",
      values: ["Heringsschwarm"],
    },
    {
      kind: "shell",
      text: "terraform apply -var 'db_password=Moewenschrei' -var region=eu-central-1",
      values: ["Moewenschrei"],
    },
    {
      kind: "shell",
      text: 'nmcli dev wifi connect Lagerhalle password "Gabelstapler fahren"',
      values: ["Gabelstapler fahren", "fahren"],
    },
    {
      kind: "shell",
      text:
        "wp config create --dbname=wp --dbuser=wp --dbpass=Kompasrose\n" +
        "wp user create kim kim@example.org --role=author --user_pass='Segel setzen!'",
      values: ["Kompasrose", "Segel setzen!"],
    },
    {
      kind: "shell",
      text: "cmdkey /generic:TERMSRV/host7 /user:CORP\\kim /pass:Spinnaker",
      values: ["Spinnaker"],
    },
    {
      kind: "shell",
      text: 'New-LocalUser -Name svc -Password (ConvertTo-SecureString "Takelmeister" -AsPlainText -Force)',
      values: ["Takelmeister"],
    },
    {
      kind: "shell",
      text: "security add-generic-password -a build -s signing -w Achterdeck",
      values: ["Achterdeck"],
    },
    {
      kind: "shell",
      text: "rclone config create nas sftp host nas.lan user bk pass Vorschiff99",
      values: ["Vorschiff99"],
    },
    {
      kind: "shell",
      text: 'restic -r /srv/repo --password-command "echo Kielwasser" snapshots',
      values: ["Kielwasser"],
    },
    {
      kind: "shell",
      text: 'expect -c \'spawn ssh root@sw1; expect "assword:"; send "Rahsegel\\r"; interact\'',
      values: ["Rahsegel"],
    },
    {
      kind: "shell",
      text: "http --auth 'kim:Fock mast' GET https://api.example.org/items",
      values: ["Fock mast", "mast"],
    },
    {
      kind: "shell",
      text: "psql \"host=db user=app password='Gross segel' dbname=app\"",
      values: ["Gross segel", "segel"],
    },
    {
      kind: "shell",
      text: 'ffmpeg -i in.mp4 -f mpegts "srt://ingest.example:9000?passphrase=Klüverbaum&mode=caller"',
      values: ["Klüverbaum"],
    },
    {
      kind: "shell",
      text: "git clone https://oauth2:Bugwelle-und-Heck@git.example.com/team/app.git",
      values: ["Bugwelle-und-Heck"],
    },
    {
      kind: "shell",
      text: "mount -t cifs //nas/data /mnt/data -o username=kim,password=Luv.Lee,vers=3.0",
      values: ["Luv.Lee"],
    },
    {
      kind: "shell",
      text: "impdp system/Backbord@orclpdb directory=dp dumpfile=a.dmp",
      values: ["Backbord"],
    },
    {
      kind: "shell",
      text: 'sqlplus scott/"Steuer#bord"@//db:1521/XEPDB1',
      values: ["Steuer#bord"],
    },
    {
      kind: "code-js",
      text: 'const pool = new Pool({ host: "db", user: "app", password: "Lindwurm", max: 5 });',
      values: ["Lindwurm"],
    },
    {
      kind: "code-js",
      text: 'const JWT_SECRET = process.env.JWT_SECRET || "Basilisk im Keller";',
      values: ["Basilisk im Keller", "Keller"],
    },
    {
      kind: "code-js",
      text: 'axios.post(url, body, { auth: { username: "ops", password: `!Einhorn` } });',
      values: ["!Einhorn"],
    },
    {
      kind: "code-js",
      text: "app.use(session({ secret: 'keyboard kater', resave: false }));",
      values: ["keyboard kater", "kater"],
    },
    {
      kind: "code-js",
      text: 'await page.fill("#password", "Greifvogel");\n' + 'await page.click("text=Sign in");',
      values: ["Greifvogel"],
    },
    {
      kind: "code-js",
      text: "cy.get('input[name=\"password\"]').type('Phoenix{enter}asche')",
      values: ["Phoenix{enter}asche"],
    },
    {
      kind: "code-ts",
      text: "export const config = {\n" + '  apiSecret: "wyvern.Schuppe" as const,\n' + "  retries: 3,\n" + "};",
      values: ["wyvern.Schuppe"],
    },
    {
      kind: "code-ts",
      text: 'private readonly dbPassword: string = "Zentaur";',
      values: ["Zentaur"],
    },
    {
      kind: "code-py",
      text: 'conn = psycopg2.connect(host="db", user="app", password="Minotaurus", dbname="shop")',
      values: ["Minotaurus"],
    },
    {
      kind: "code-py",
      text: 'SECRET_KEY = os.environ.get("SECRET_KEY", "Kobold-und-Wichtel")\n' + "DEBUG = False",
      values: ["Kobold-und-Wichtel"],
    },
    {
      kind: "code-py",
      text:
        "DATABASES = {\n" +
        "    'default': {\n" +
        "        'USER': 'app',\n" +
        "        'PASSWORD': 'Nixe&Nöck',\n" +
        "        'HOST': 'db',\n" +
        "    }\n" +
        "}",
      values: ["Nixe&Nöck"],
    },
    {
      kind: "code-py",
      text: "client = paramiko.SSHClient()\n" + 'client.connect("10.0.0.5", username="root", password=\'Waldschrat\')',
      values: ["Waldschrat"],
    },
    {
      kind: "code-py",
      text: 'server.login("bot@example.org", "Irrlicht leuchtet")',
      values: ["Irrlicht leuchtet", "leuchtet"],
    },
    {
      kind: "code-py",
      text: 'requests.get(url, auth=("svc", "Heinzelmann"))',
      values: ["Heinzelmann"],
    },
    {
      kind: "code-py",
      text: "password = (\n" + '    "Frau"\n' + '    "Holle schüttelt"\n' + ")",
      values: ["Holle schüttelt"],
    },
    {
      kind: "code-py",
      text: ">>> settings.DB_PASSWORD\n" + "'Zwergenkönig'\n" + ">>> settings.DB_HOST\n" + "'db'",
      values: ["Zwergenkönig"],
    },
    {
      kind: "code-py",
      text: 'parser.add_argument("--password", default="Troll.Bruecke", help="db password")',
      values: ["Troll.Bruecke"],
    },
    {
      kind: "code-java",
      text: 'private static final String DB_PASSWORD = "Alraune";',
      values: ["Alraune"],
    },
    {
      kind: "code-java",
      text: 'dataSource.setUsername("app");\n' + 'dataSource.setPassword("Werwolf");',
      values: ["Werwolf"],
    },
    {
      kind: "code-java",
      text: 'char[] password = "Vampir zahn".toCharArray();',
      values: ["Vampir zahn", "zahn"],
    },
    {
      kind: "code-java",
      text: '@Value("${smtp.password:Elfenstaub}")\n' + "private String smtpPassword;",
      values: ["Elfenstaub"],
    },
    {
      kind: "code-java",
      text: 'DriverManager.getConnection("jdbc:oracle:thin:@db:1521:XE", "app", "Kraken.Arm");',
      values: ["Kraken.Arm"],
    },
    {
      kind: "code-kotlin",
      text:
        'val dbPassword = "Hydra7Koepfe"\n' +
        'signingConfigs { create("release") { storePassword = "Medusa" ; keyPassword = "Gorgone" } }',
      values: ["Hydra7Koepfe", "Medusa", "Gorgone"],
    },
    {
      kind: "code-go",
      text: 'cfg := mysql.Config{User: "app", Passwd: "Pegasus", Net: "tcp", Addr: "db:3306"}',
      values: ["Pegasus"],
    },
    {
      kind: "code-go",
      text: 'const adminPassword = `Sphinx"rätsel`\n' + 'req.SetBasicAuth("admin", "Zerberus")',
      values: ['Sphinx"rätsel', "Zerberus"],
    },
    {
      kind: "code-php",
      text:
        "define('DB_USER', 'wp');\n" +
        "define( 'DB_PASSWORD', 'Schlossgespenst' );\n" +
        "define('AUTH_KEY', '}k9|Lz:x?Q2 w~V;h]R-5u');",
      values: ["Schlossgespenst", "}k9|Lz:x?Q2 w~V;h]R-5u"],
    },
    {
      kind: "code-php",
      text:
        "'mysql' => [\n" +
        "    'username' => env('DB_USERNAME', 'forge'),\n" +
        "    'password' => env('DB_PASSWORD', 'Poltergeist'),\n" +
        "],",
      values: ["Poltergeist"],
    },
    {
      kind: "code-php",
      text: "$dbh = new PDO('mysql:host=db;dbname=shop', 'shop', 'Hexenkessel');\n" + '$password = "Besen\\$stiel";',
      values: ["Hexenkessel", "Besen\\$stiel"],
    },
    {
      kind: "code-ruby",
      text:
        "Mail.defaults do\n" + "  delivery_method :smtp, user_name: 'bot', password: 'Rapunzel', port: 587\n" + "end",
      values: ["Rapunzel"],
    },
    {
      kind: "code-ruby",
      text: 'config = { :user => "app", :password => "Dornröschen", "secret" => %q(Froschkönig) }',
      values: ["Dornröschen", "Froschkönig"],
    },
    {
      kind: "code-csharp",
      text:
        'var cred = new NetworkCredential("svc", "Gestiefelter Kater", "CORP");\n' + 'builder.Password = "Sterntaler";',
      values: ["Gestiefelter Kater", "Sterntaler"],
    },
    {
      kind: "code-csharp",
      text: 'public string ApiSecret { get; set; } = @"Brüder""chen";',
      values: ['Brüder""chen'],
    },
    {
      kind: "code-rust",
      text: 'const DB_PASSWORD: &str = "Siebenmeilen";\n' + 'let token = String::from("Tischlein.deckdich");',
      values: ["Siebenmeilen", "Tischlein.deckdich"],
    },
    {
      kind: "code-c",
      text:
        '#define WIFI_SSID "Lab"\n' +
        '#define WIFI_PASSWORD "Goldesel"\n' +
        'static const char *mqtt_pass = "Knueppel";',
      values: ["Goldesel", "Knueppel"],
    },
    {
      kind: "code-swift",
      text:
        'let apiSecret = "Gänseliesel"\n' + 'URLCredential(user: "kim", password: "Aschenputtel", persistence: .none)',
      values: ["Gänseliesel", "Aschenputtel"],
    },
    {
      kind: "code-lua",
      text: 'local db = { user = "app", password = [[Daumesdick]] }',
      values: ["Daumesdick"],
    },
    {
      kind: "code-perl",
      text:
        'my $dbh = DBI->connect("dbi:Pg:dbname=x", "app", "Allerleirauh");\n' + "my %opt = (password => q{Jorinde});",
      values: ["Allerleirauh", "Jorinde"],
    },
    {
      kind: "code-elixir",
      text:
        "config :shop, Shop.Repo,\n" +
        '  username: "shop",\n' +
        '  password: "Bremer.Stadtmusik",\n' +
        '  hostname: "db"',
      values: ["Bremer.Stadtmusik"],
    },
    {
      kind: "code-scala",
      text: 'val conf = Map("user" -> "etl", "password" -> "Rotkaeppchen")',
      values: ["Rotkaeppchen"],
    },
    {
      kind: "code-r",
      text:
        'con <- dbConnect(Postgres(), user = "stat", password = "Wolfsgeheul")\n' +
        'Sys.setenv(API_PASSWORD = "Grossmutter")',
      values: ["Wolfsgeheul", "Grossmutter"],
    },
    {
      kind: "code-dart",
      text: "final _password = 'Schneeweisschen';\n" + "const headers = {'x-api-secret': 'Rosenrot'};",
      values: ["Schneeweisschen", "Rosenrot"],
    },
    {
      kind: "code-vb",
      text: 'cn.Open "DSN=erp;UID=erp;PWD=Kleiner Muck;"\n' + 'Const ADMIN_PWD = "Kalif Storch"',
      values: ["Kleiner Muck", "Kalif Storch"],
    },
    {
      kind: "code-make",
      text: "DEPLOY_PASS := Hauff1802\n" + "export SIGN_PASSPHRASE ?= Zwerg Nase",
      values: ["Hauff1802", "Zwerg Nase", "Nase"],
    },
    {
      kind: "code-nix",
      text:
        "services.postgresql.initialScript = pkgs.writeText \"init\" ''\n" +
        "  ALTER USER app WITH PASSWORD 'Saladin';\n" +
        "'';\n" +
        'users.users.kim.initialPassword = "Lilofee";',
      values: ["Saladin", "Lilofee"],
    },
    {
      kind: "k8s",
      text:
        "apiVersion: v1\n" +
        "kind: Secret\n" +
        "metadata:\n" +
        "  name: smtp\n" +
        "type: Opaque\n" +
        "stringData:\n" +
        "  username: mailer\n" +
        "  password: Schwertfisch",
      values: ["Schwertfisch"],
    },
    {
      kind: "k8s",
      text:
        "apiVersion: v1\n" +
        "kind: Secret\n" +
        "metadata: {name: web-tls}\n" +
        "type: kubernetes.io/tls\n" +
        "data:\n" +
        "  tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==\n" +
        "  tls.key: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCgR2JHtXS+ohkdPNjH/RGIoApQ/n9rTLNNUDsKPMkOG0qWP/VAqCt7XL2CWc6D",
      values: ["LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCgR2JHtXS+ohkdPNjH/RGIoApQ/n9rTLNNUDsKPMkOG0qWP/VAqCt7XL2CWc6D"],
    },
    {
      kind: "k8s",
      text:
        "        env:\n" +
        "        - name: DB_HOST\n" +
        "          value: pg\n" +
        "        - name: DB_PASSWORD\n" +
        "          value: Thunfisch\n" +
        "        - name: MODE\n" +
        "          value: prod",
      values: ["Thunfisch"],
    },
    {
      kind: "k8s",
      text:
        "    31\t        - name: ADMIN_PASSWORD\n" +
        '    32\t          value: "Rochen & Scholle"\n' +
        "    33\t        - name: PORT",
      values: ["Rochen & Scholle", "Scholle"],
    },
    {
      kind: "k8s",
      text:
        "@@ -14,7 +14,7 @@ spec:\n" +
        "         - name: QUEUE_PASS\n" +
        "-          value: Stichling\n" +
        "+          value: Hornhecht\n" +
        "         - name: QUEUE_USER",
      values: ["Stichling", "Hornhecht"],
    },
    {
      kind: "k8s",
      text: '{"stdout":"env:\\n- name: SMTP_PASSWORD\\n  value: Makrele\\n- name: SMTP_PORT\\n  value: \\"25\\"\\n"}',
      values: ["Makrele"],
    },
    {
      kind: "k8s",
      text: "kind: Secret\n" + "data:\n" + "  password: U3Rlcm5zY2hudXBwZQ==\n" + "  username: YXBw",
      values: ["U3Rlcm5zY2hudXBwZQ=="],
    },
    {
      kind: "k8s",
      text: "$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n" + "Zitteraal",
      values: ["Zitteraal"],
    },
    {
      kind: "kubeconfig",
      text:
        "users:\n" +
        "- name: admin\n" +
        "  user:\n" +
        "    client-certificate-data: LS0tLS1CRUdJTiBDRVJU\n" +
        "    client-ke" +
        "y-data: t0CTpvNAAWQRCZljwiMkmg4HeBUuvdpdr/M0K5IQKWuonaiIFeClAV+Q5zVqMll8zRf8W50sr2qUGS4L\n" +
        "- name: legacy\n" +
        "  user:\n" +
        "    username: root\n" +
        "    password: Flunder",
      values: ["t0CTpvNAAWQRCZljwiMkmg4HeBUuvdpdr/M0K5IQKWuonaiIFeClAV+Q5zVqMll8zRf8W50sr2qUGS4L", "Flunder"],
    },
    {
      kind: "compose",
      text:
        "services:\n" +
        "  db:\n" +
        "    image: postgres:16\n" +
        "    environment:\n" +
        "      - POSTGRES_USER=app\n" +
        "      - POSTGRES_PASSWORD=Wintergarten am See",
      values: ["Wintergarten am See", "am See"],
    },
    {
      kind: "compose",
      text:
        "    environment:\n" +
        "      MARIADB_ROOT_PASSWORD: ${MARIADB_ROOT_PASSWORD:-Sommerfrische}\n" +
        "      TZ: Europe/Zurich",
      values: ["Sommerfrische"],
    },
    {
      kind: "compose",
      text: '    command: ["redis-server", "--requirepass", "Herbstzeitlose", "--appendonly", "yes"]',
      values: ["Herbstzeitlose"],
    },
    {
      kind: "compose",
      text: "    healthcheck:\n" + '      test: ["CMD", "mysqladmin", "ping", "-uroot", "-pFruehjahrsputz"]',
      values: ["Fruehjahrsputz"],
    },
    {
      kind: "dockerfile",
      text:
        "FROM alpine:3.20\n" +
        "ENV APP_USER=web APP_PASSWORD=Bergkristall\n" +
        'ARG NEXUS_PASS="Amethyst geode"\n' +
        "RUN adduser -D web",
      values: ["Bergkristall", "Amethyst geode", "geode"],
    },
    {
      kind: "dockerfile",
      text: "RUN echo 'root:Turmalin' | chpasswd && apk add --no-cache openssh",
      values: ["Turmalin"],
    },
    {
      kind: "helm",
      text:
        "helm get values grafana -n mon\n" +
        "USER-SUPPLIED VALUES:\n" +
        "adminPassword: Rosenquarz\n" +
        "persistence:\n" +
        "  enabled: true",
      values: ["Rosenquarz"],
    },
    {
      kind: "terraform",
      text:
        'resource "aws_db_instance" "main" {\n' +
        '  username = "app"\n' +
        '  password = "Malachit"\n' +
        '  engine   = "postgres"\n' +
        "}",
      values: ["Malachit"],
    },
    {
      kind: "terraform",
      text: 'variable "smtp_password" {\n' + "  type    = string\n" + '  default = "Lapislazuli 4 ever"\n' + "}",
      values: ["Lapislazuli 4 ever"],
    },
    {
      kind: "terraform",
      text:
        "  # azurerm_sql_server.main will be updated in-place\n" +
        '  ~ resource "azurerm_sql_server" "main" {\n' +
        '      ~ administrator_login_password = "Karneol" -> "Chalzedon"\n' +
        '        version                      = "12.0"\n' +
        "    }",
      values: ["Karneol", "Chalzedon"],
    },
    {
      kind: "terraform",
      text: "master_password = <<-EOT\n" + "  Obsidian\n" + "EOT",
      values: ["Obsidian"],
    },
    {
      kind: "ci",
      text:
        "jobs:\n" +
        "  test:\n" +
        "    runs-on: ubuntu-latest\n" +
        "    env:\n" +
        "      CI_DB_PASSWORD: Rubinrot\n" +
        "    steps:\n" +
        "      - run: npm test",
      values: ["Rubinrot"],
    },
    {
      kind: "ci",
      text:
        "      - uses: appleboy/ssh-action@v1\n" +
        "        with:\n" +
        "          host: 10.0.0.8\n" +
        "          username: deploy\n" +
        "          password: Saphirblau!",
      values: ["Saphirblau!"],
    },
    {
      kind: "ci",
      text: "[Pipeline] sh\n" + "+ ./deploy.sh --user ci --pass Smaragdgruen --env stage\n" + "Deploying revision 81",
      values: ["Smaragdgruen"],
    },
    {
      kind: "ci",
      text: "variables:\n" + "  FTP_PASSWORD:\n" + '    value: "Topas"\n' + '    description: "upload account"',
      values: ["Topas"],
    },
    {
      kind: "ci",
      text: "stage('push') { steps { withEnv(['REG_USER=ci', 'REG_PASSWORD=Aquamarin']) { sh 'make push' } } }",
      values: ["Aquamarin"],
    },
    {
      kind: "sql",
      text: "CREATE USER 'shop'@'%' IDENTIFIED BY 'Hyazinth';\n" + "GRANT ALL ON shop.* TO 'shop'@'%';",
      values: ["Hyazinth"],
    },
    {
      kind: "sql",
      text: "ALTER ROLE app WITH LOGIN PASSWORD 'O''Malley''s pub';",
      values: ["O''Malley''s pub", "s pub"],
    },
    {
      kind: "sql",
      text: "CREATE LOGIN etl WITH PASSWORD = N'Opal glanz', CHECK_POLICY = OFF;",
      values: ["Opal glanz", "glanz"],
    },
    {
      kind: "sql",
      text: "INSERT INTO users (email, password, active) VALUES ('kim@example.org', 'Perlmutt', 1);",
      values: ["Perlmutt"],
    },
    {
      kind: "sql",
      text: "UPDATE accounts SET password = 'Elfenbein' WHERE id = 7;",
      values: ["Elfenbein"],
    },
    {
      kind: "sql",
      text: "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('Kupferkessel');",
      values: ["Kupferkessel"],
    },
    {
      kind: "sql",
      text:
        " id |  login  |   password    | active\n" +
        "----+---------+---------------+--------\n" +
        "  1 | lea     | Messingknauf  | t\n" +
        "  2 | omar    | Zinnsoldat    | t\n" +
        "(2 rows)",
      values: ["Messingknauf", "Zinnsoldat"],
    },
    {
      kind: "sql",
      text:
        "*************************** 1. row ***************************\n" +
        "      id: 3\n" +
        "   login: kim\n" +
        "password: Silberblick\n" +
        "  active: 1",
      values: ["Silberblick"],
    },
    {
      kind: "csv",
      text:
        "name,email,password,role\n" +
        "Lea,lea@example.org,Goldregen,admin\n" +
        'Omar,omar@example.org,"Platin,blond",user',
      values: ["Goldregen", "Platin,blond"],
    },
    {
      kind: "csv",
      text: "url;username;passwort\n" + "https://wiki.example;lea;Bleigewicht\n" + "https://crm.example;omar;Stahltür!",
      values: ["Bleigewicht", "Stahltür!"],
    },
    {
      kind: "table",
      text:
        "| System | User | Password |\n" +
        "|--------|------|----------|\n" +
        "| NAS    | root | Eisenbahn |\n" +
        "| Router | adm  | `Dampf.Lok` |",
      values: ["Eisenbahn", "Dampf.Lok"],
    },
    {
      kind: "table",
      text:
        "┌──────────┬──────────────┐\n" +
        "│ key      │ value        │\n" +
        "├──────────┼──────────────┤\n" +
        "│ password │ Speichenrad  │\n" +
        "│ host     │ db-2         │\n" +
        "└──────────┴──────────────┘",
      values: ["Speichenrad"],
    },
    {
      kind: "table",
      text: "HOST\tUSER\tPASSWORD\n" + "web1\troot\tZündkerze\n" + "web2\troot\tKeilriemen",
      values: ["Zündkerze", "Keilriemen"],
    },
    {
      kind: "cookies",
      text:
        "# Netscape HTTP Cookie File\n" +
        ".example.org\tTRUE\t/\tTRUE\t1893456000\tsessionid\tRPX8ih5VBLJOMSX29wUJCZu9ygp6sXwW\n" +
        "#HttpOnly_.example.org\tTRUE\t/\tTRUE\t0\tauth_token\tNudelholz-und-Teig",
      values: ["RPX8ih5VBLJOMSX29wUJCZu9ygp6sXwW", "Nudelholz-und-Teig"],
    },
    {
      kind: "header",
      text: "Cookie: lang=de; PHPSESSID=ii4apkgsa8gqpao9ce178k5mh9; theme=dark",
      values: ["ii4apkgsa8gqpao9ce178k5mh9"],
    },
    {
      kind: "header",
      text:
        "< HTTP/2 200\n" +
        "< set-cookie: connect.sid=s%3AUapxoegVGuSwLy8a1MYevir6lfyHotDU.cdUAohzGo3iWaWUFMCtzV6aLSAU4YWwYLehWuWLcYXT; Path=/; HttpOnly\n" +
        "< content-type: text/html",
      values: ["UapxoegVGuSwLy8a1MYevir6lfyHotDU", "cdUAohzGo3iWaWUFMCtzV6aLSAU4YWwYLehWuWLcYXT"],
    },
    {
      kind: "header",
      text: "> GET /v1/items HTTP/1.1\n" + "> Host: api.example.org\n" + "> Authorization: Basic bGVhOlJhZGllcmd1bW1p",
      values: ["bGVhOlJhZGllcmd1bW1p"],
    },
    {
      kind: "header",
      text: "Authorization: Bearer Leimtube.Klebstoff\n" + "X-Request-Id: 4411",
      values: ["Leimtube.Klebstoff"],
    },
    {
      kind: "header",
      text: 'fetch(u, { headers: { "X-Auth-Token": "Bleistiftspitzer", "Accept": "*/*" } })',
      values: ["Bleistiftspitzer"],
    },
    {
      kind: "header",
      text: "Proxy-Authorization: Basic cHJveHk6VGludGVuZmFzcw==\n" + "X-Api-Key: Lineal und Zirkel",
      values: ["cHJveHk6VGludGVuZmFzcw==", "Lineal und Zirkel"],
    },
    {
      kind: "url",
      text: "GET https://shop.example/login?user=kim&password=Winkelmesser&next=%2F HTTP/1.1",
      values: ["Winkelmesser"],
    },
    {
      kind: "url",
      text: "https://lea:L%C3%B6schpapier%21@wiki.example.org/index.html",
      values: ["L%C3%B6schpapier%21"],
    },
    {
      kind: "url",
      text: "callback: https://app.example/cb#access_token=Heftklammer_77_Locher&token_type=bearer",
      values: ["Heftklammer_77_Locher"],
    },
    {
      kind: "url",
      text: "otpauth://totp/Corp:kim?secret=JBSWY3DPK5XXE3DEFQQGC3DM&issuer=Corp",
      values: ["JBSWY3DPK5XXE3DEFQQGC3DM"],
    },
    {
      kind: "log",
      text: "2024-05-02T08:11:09Z WARN auth: login failed user=kim password=Tafelkreide ip=10.0.0.3",
      values: ["Tafelkreide"],
    },
    {
      kind: "log",
      text: "[DEBUG] DbConfig(host=db, user=app, password=Wandtafel, pool=10)",
      values: ["Wandtafel"],
    },
    {
      kind: "log",
      text: 'DEBUG Params: {"username"=>"kim", "password"=>"Schulranzen", "commit"=>"Log in"}',
      values: ["Schulranzen"],
    },
    {
      kind: "log",
      text: 'level=info msg="bind ok" dn="cn=svc" bind_password="Pausenbrot mit Käse"',
      values: ["Pausenbrot mit Käse", "mit Käse"],
    },
    {
      kind: "log",
      text: "ERROR: could not connect with {user: 'app', pass: '$chwamm', port: 5432}",
      values: ["$chwamm"],
    },
    {
      kind: "log",
      text:
        "Generated temporary root password for root@localhost: Ofen>rohr,Kx\n" +
        "A temporary password is generated; please change it.",
      values: ["Ofen>rohr,Kx"],
    },
    {
      kind: "log",
      text:
        "Vault initialized.\n" +
        "Unseal Key 1: gMtTFC6Y+Xi25mtl3XZFmG5LjyJ+LOhi3yHC1oXt/8q=\n" +
        "Initial Root Token: Kaminfeger.Leiter",
      values: ["gMtTFC6Y+Xi25mtl3XZFmG5LjyJ+LOhi3yHC1oXt/8q=", "Kaminfeger.Leiter"],
    },
    {
      kind: "log",
      text:
        "Please use the following password to proceed to installation:\n" +
        "\n" +
        "cefd697312bba82af983eadec108b08c\n" +
        "\n" +
        "This may also be found at: /var/jenkins_home/secrets/initialAdminPassword",
      values: ["cefd697312bba82af983eadec108b08c"],
    },
    {
      kind: "chat",
      text: "The admin login is root and the password is Schornstein, please check why the job fails.",
      values: ["Schornstein"],
    },
    {
      kind: "chat",
      text: "use user deploy, pw: Dachrinne and then restart the service",
      values: ["Dachrinne"],
    },
    {
      kind: "chat",
      text: 'My password for the staging box is "Ziegel stein 9" – can you log in and look?',
      values: ["Ziegel stein 9", "stein 9"],
    },
    {
      kind: "chat",
      text: "Das Passwort lautet Regentonne, der Benutzer ist wartung.",
      values: ["Regentonne"],
    },
    {
      kind: "chat",
      text: "Kennwort: Gießkanne\n" + "Benutzer: garten",
      values: ["Gießkanne"],
    },
    {
      kind: "chat",
      text: "Zugangsdaten fürs NAS: Benutzer root, Passwort !Heckenschere",
      values: ["!Heckenschere"],
    },
    {
      kind: "chat",
      text: "Le mot de passe est Coquelicot, l'utilisateur est marc.",
      values: ["Coquelicot"],
    },
    {
      kind: "chat",
      text: "Mot de passe : Châteauneuf1309\n" + "Identifiant : marc",
      values: ["Châteauneuf1309"],
    },
    {
      kind: "chat",
      text: "La contraseña es Golondrina y el usuario es pepe.",
      values: ["Golondrina"],
    },
    {
      kind: "chat",
      text: "Usuario: pepe\n" + "Contraseña: ¡Mariposa!\n" + "Servidor: 10.4.4.4",
      values: ["¡Mariposa!"],
    },
    {
      kind: "chat",
      text: "用户名：admin\n" + "密码：青山绿水2020\n" + "地址：10.3.0.9",
      values: ["青山绿水2020"],
    },
    {
      kind: "chat",
      text: "数据库密码是 Panda竹子,请帮我检查连接。",
      values: ["Panda竹子"],
    },
    {
      kind: "chat",
      text: "パスワード：さくら吹雪\n" + "ユーザー名：kanri",
      values: ["さくら吹雪"],
    },
    {
      kind: "chat",
      text: "Wachtwoord: Stroopwafel\n" + "Senha: Jacaranda\n" + "Hasło: Żurawina",
      values: ["Stroopwafel", "Jacaranda", "Żurawina"],
    },
    {
      kind: "chat",
      text: "Пароль: Одуванчик\n" + "Логин: ivan",
      values: ["Одуванчик"],
    },
    {
      kind: "chat",
      text: "I set the new root password to Vogelscheuche and saved the config.",
      values: ["Vogelscheuche"],
    },
    {
      kind: "chat",
      text: "login with kim / Mistgabel (user / password) at https://erp.example",
      values: ["Mistgabel"],
    },
    {
      kind: "chat",
      text: "**Password:** `Heu.wagen`\n" + "**User:** `hof`",
      values: ["Heu.wagen"],
    },
    {
      kind: "chat",
      text: "- User: hof\n" + "- Pass： Traktor spur\n" + "- Port: 22",
      values: ["Traktor spur"],
    },
    {
      kind: "diff",
      text:
        "diff --git a/app.ini b/app.ini\n" +
        "@@ -3,3 +3,3 @@\n" +
        " user = app\n" +
        "-password = Melkschemel\n" +
        "+password = Butterfass",
      values: ["Melkschemel", "Butterfass"],
    },
    {
      kind: "grep",
      text:
        "config/mail.yml:7:  password: Scheunentor\n" +
        "config/mail.yml-8-  port: 25\n" +
        'src/db.ts:12:const dbPass = "Hufeisen";',
      values: ["Scheunentor", "Hufeisen"],
    },
    {
      kind: "screen",
      text: "Username: admin\n" + "Password: Sattelgurt\n" + "Last login: Mon May  6 09:11:02 2024",
      values: ["Sattelgurt"],
    },
    {
      kind: "screen",
      text:
        "Enter new password: Zaumzeug\n" + "Retype new password: Zaumzeug\n" + "passwd: password updated successfully",
      values: ["Zaumzeug"],
    },
    {
      kind: "history",
      text: " 1041  export SAP_PASSWORD=Steigbuegel\n" + ' 1042  read -rs TOKEN <<< "Reithelm_alt"\n' + " 1043  ls -la",
      values: ["Steigbuegel", "Reithelm_alt"],
    },
    {
      kind: "connection",
      text: "DATABASE_URL=postgres://app:Kutschbock@db.internal:5432/shop",
      values: ["Kutschbock"],
    },
    {
      kind: "connection",
      text: 'DATABASE_URL="mysql://shop:H@fer$ack@db:3306/shop"',
      values: ["H@fer$ack", "fer$ack"],
    },
    {
      kind: "connection",
      text: "mongodb+srv://root:Strohballen@cluster0.abcde.mongodb.net/?retryWrites=true",
      values: ["Strohballen"],
    },
    {
      kind: "connection",
      text: "redis://:Weidezaun@cache:6379/0",
      values: ["Weidezaun"],
    },
    {
      kind: "connection",
      text: "amqps://bus:Misthaufen!@mq.example:5671/prod",
      values: ["Misthaufen!"],
    },
    {
      kind: "connection",
      text: "postgresql://lea:l'heure.bleue@pg/app?sslmode=require",
      values: ["l'heure.bleue", "heure.bleue"],
    },
    {
      kind: "connection",
      text: "Server=tcp:sql.example,1433;Initial Catalog=crm;User ID=crm;Password=Almabtrieb;Encrypt=True;",
      values: ["Almabtrieb"],
    },
    {
      kind: "connection",
      text: 'Data Source=erp;User Id=erp;Password="Kuh;Glocke";Pooling=false',
      values: ["Kuh;Glocke", "Glocke"],
    },
    {
      kind: "connection",
      text: "jdbc:sqlserver://sql01:1433;databaseName=x;user=sa;password={Senn}}huette};encrypt=true",
      values: ["Senn}}huette"],
    },
    {
      kind: "connection",
      text: "jdbc:mysql://db:3306/shop?user=shop&password=Murmeltier&useSSL=false",
      values: ["Murmeltier"],
    },
    {
      kind: "connection",
      text: "jdbc:oracle:thin:app/Steinbock@//ora:1521/XEPDB1",
      values: ["Steinbock"],
    },
    {
      kind: "connection",
      text: "sqlalchemy.url = postgresql+psycopg2://app:Edelweiss#1@db/app",
      values: ["Edelweiss#1"],
    },
    {
      kind: "connection",
      text: 'engine = create_engine("mssql+pyodbc://sa:Enz!an@sql01/crm?driver=ODBC+Driver+18")',
      values: ["Enz!an"],
    },
    {
      kind: "connection",
      text: "const client = new MongoClient('mongodb://app:Alpen%40rose@m1,m2,m3/app?replicaSet=rs0');",
      values: ["Alpen%40rose"],
    },
    {
      kind: "connection",
      text: "ftp://upload:Gamsbart@ftp.example.org/in/",
      values: ["Gamsbart"],
    },
    {
      kind: "connection",
      text: "smtp://bot%40example.org:Jodler@smtp.example.org:587",
      values: ["Jodler"],
    },
    {
      kind: "connection",
      text: "ldap://cn=admin:Lederhose@ldap.example:389",
      values: ["Lederhose"],
    },
    {
      kind: "connection",
      text: "http_proxy=http://kim:Trachten/hut@proxy.corp:3128",
      values: ["Trachten/hut", "hut@proxy"],
    },
    {
      kind: "connection",
      text: "clickhouse://default:Alphorn?laut@ch:9000/logs",
      values: ["Alphorn?laut"],
    },
    {
      kind: "connection",
      text: "rtsp://admin:Kamera1_Tor@10.0.4.17:554/stream1",
      values: ["Kamera1_Tor"],
    },
    {
      kind: "connection",
      text: 'could not connect to "postgres://etl:Fondue:Gabel@dw:5432/dw": timeout',
      values: ["Fondue:Gabel", "Gabel"],
    },
    {
      kind: "connection",
      text: "snowflake://LOADER:Raclette@xy12345/DB/PUBLIC?warehouse=ETL",
      values: ["Raclette"],
    },
    {
      kind: "connection",
      text: '{"DATABASE_URL":"postgres:\\/\\/app:Roesti@db:5432\\/app"}',
      values: ["Roesti"],
    },
    {
      kind: "connection",
      text: 'dsn := "app:Bündnerfleisch@tcp(db:3306)/shop?parseTime=true"',
      values: ["Bündnerfleisch"],
    },
    {
      kind: "connection",
      text: 'dsn = "host=db port=5432 user=app password=Birchermüesli dbname=app sslmode=disable"',
      values: ["Birchermüesli"],
    },
    {
      kind: "connection",
      text: "Provider=SQLOLEDB;Data Source=s;Uid=sa;Pwd=Nusstorte;",
      values: ["Nusstorte"],
    },
    {
      kind: "connection",
      text:
        "DefaultEndpointsProtocol=https;AccountName=stfiles;Accou" +
        "ntKey=Oz6AXL7kbgGmvgoyN7b3+5saPyxFe/1DS3VBGQmmVfUZ4ZF3atnEy2pSEH093fJ9FoPTQcwcSUzRjzAvlApEau==;EndpointSuffix=core.windows.net",
      values: ["Oz6AXL7kbgGmvgoyN7b3+5saPyxFe/1DS3VBGQmmVfUZ4ZF3atnEy2pSEH093fJ9FoPTQcwcSUzRjzAvlApEau"],
    },
    {
      kind: "connection",
      text:
        "Endpoint=sb://bus-prod.servicebus.windows.net/;SharedAccessKeyName=root;SharedAc" +
        "cessKey=5MOhh5f/GRanc/AbCNWddooazVW6D3Ek3PXfKHja5Uf=",
      values: ["5MOhh5f/GRanc/AbCNWddooazVW6D3Ek3PXfKHja5Uf"],
    },
    {
      kind: "connection",
      text:
        "HostName=hub.azure-devices.net;DeviceId=d7;SharedAc" + "cessKey=YEuHWKSu8DsAnRfwV5srCLFfHHQcMZHP59YzK4D6/gL=",
      values: ["YEuHWKSu8DsAnRfwV5srCLFfHHQcMZHP59YzK4D6/gL"],
    },
    {
      kind: "connection",
      text: "postgres\u001b[0m://app:\u001b[31mGipfelkreuz\u001b[0m@db/app",
      values: ["Gipfelkreuz"],
    },
    {
      kind: "vendor-github",
      text:
        "git remote set-url origin https://x-access-token:gh" +
        "p_x9mWhoq62lDiL6gfZIM1OlecTGxdlux0R27C@github.com/acme/app.git",
      values: ["gh" + "p_x9mWhoq62lDiL6gfZIM1OlecTGxdlux0R27C"],
    },
    {
      kind: "vendor-github",
      text: "$ gh auth token\n" + "gh" + "o_4baL3s56Rzi0mUsBw8ZjtD4fyvTgmVLDXWk9",
      values: ["gh" + "o_4baL3s56Rzi0mUsBw8ZjtD4fyvTgmVLDXWk9"],
    },
    {
      kind: "vendor-github",
      text:
        "The PAT is githu" +
        "b_pat_KlwbSzfWjGo52mHebdyXz4_xb2AptW6paMy6XwUTGcG4ZJiCCVBKMuaOLHcHz9OzgRP27yMbNbz7haoTeS and it expires in June.",
      values: ["githu" + "b_pat_KlwbSzfWjGo52mHebdyXz4_xb2AptW6paMy6XwUTGcG4ZJiCCVBKMuaOLHcHz9OzgRP27yMbNbz7haoTeS"],
    },
    {
      kind: "vendor-gitlab",
      text: 'curl --header "PRIVATE-TOKEN: glp' + 'at-XTtfsLeTnOqAOboKWWoa" https://gitlab.example/api/v4/user',
      values: ["glp" + "at-XTtfsLeTnOqAOboKWWoa"],
    },
    {
      kind: "vendor-gitlab",
      text: "gitlab-runner register --token gl" + "rt-7ToGGydI0tiUEIDa9g2M --url https://gitlab.example",
      values: ["gl" + "rt-7ToGGydI0tiUEIDa9g2M"],
    },
    {
      kind: "vendor-aws",
      text:
        "[default]\n" +
        "aws_access_key_id = AK" +
        "IAKBTS55ZADIAO5YNU\n" +
        "aws_secret_access_key = GuBQR2rBWxoQ43iEDBTwE27wh77HbLYQZ/9pnLDS",
      values: ["AK" + "IAKBTS55ZADIAO5YNU", "GuBQR2rBWxoQ43iEDBTwE27wh77HbLYQZ/9pnLDS"],
    },
    {
      kind: "vendor-aws",
      text:
        '{"Credentials":{"AccessKeyId":"AS' +
        'IAYDYS54XJQQZN3UVS","SecretAccessKey":"ud/w1Nw4KgEj/KY88bv8/LUTElkwmfMKKbtdIJYS","SessionToken":"FsA5jHL7lIecb7LAVFwxtktIvq47QSXg72vNy6Wgd4TYLC/y3OloR0gLSp5s+kxV5zZJHE3P1G1AkFUX6Fx1l3DD4U2DdgQT1nVvEiwMqMCvfZBJCOp95Wl0Rka53ZMG7SRXIRFU19aC/KkD2lQ1d595wxJJoT6V3RZke4rnO88YlvVLWePGNr74klo10Yz2cHvihnAq","Expiration":"2024-06-01T00:00:00Z"}}',
      values: [
        "ud/w1Nw4KgEj/KY88bv8/LUTElkwmfMKKbtdIJYS",
        "FsA5jHL7lIecb7LAVFwxtktIvq47QSXg72vNy6Wgd4TYLC/y3OloR0gLSp5s+kxV5zZJHE3P1G1AkFUX6Fx1l3DD4U2DdgQT1nVvEiwMqMCvfZBJCOp95Wl0Rka53ZMG7SRXIRFU19aC/KkD2lQ1d595wxJJoT6V3RZke4rnO88YlvVLWePGNr74klo10Yz2cHvihnAq",
      ],
    },
    {
      kind: "vendor-aws",
      text:
        "User name,Access key ID,Secret access key\n" +
        "ci,AK" +
        "IAMFTSZBRSEOZU4KPQ,RiXDnB9uIXRxKokkJoWttOZQVcNakJSMVNWk24Pd",
      values: ["RiXDnB9uIXRxKokkJoWttOZQVcNakJSMVNWk24Pd"],
    },
    {
      kind: "vendor-stripe",
      text: 'stripe.api_key = "sk_l' + 'ive_73em2hpCnmzDv1cTpLPkObOa"',
      values: ["sk_l" + "ive_73em2hpCnmzDv1cTpLPkObOa"],
    },
    {
      kind: "vendor-stripe",
      text:
        "STRIPE_WEBHOOK_SECRET=whs" +
        "ec_Lqw2V4iW8thsrguebh74qZsWMIfGfBIM\n" +
        "STRIPE_RESTRICTED=rk_l" +
        "ive_hQcBsxkpNhhRhVFiToGwjoAD",
      values: ["whs" + "ec_Lqw2V4iW8thsrguebh74qZsWMIfGfBIM", "rk_l" + "ive_hQcBsxkpNhhRhVFiToGwjoAD"],
    },
    {
      kind: "vendor-slack",
      text: 'slack = WebClient(token="xo' + 'xb-887651144522-2444712469677-yXvedgEK47zRv67XNhwPH84N")',
      values: ["xo" + "xb-887651144522-2444712469677-yXvedgEK47zRv67XNhwPH84N"],
    },
    {
      kind: "vendor-slack",
      text:
        'curl -X POST -d \'{"text":"hi"}\' https://hooks.s' +
        "lack.com/services/TYQGQVZ3Y/BJWW4TEKHP6/7FnxeEMseyeEqSkYk0CA9EMX",
      values: ["7FnxeEMseyeEqSkYk0CA9EMX"],
    },
    {
      kind: "vendor-slack",
      text:
        "app_token: xa" +
        "pp-1-A5LKVYSNJCG-9169392318144-b74c68bd1ee27518e4bd6e1e465a7829ebc325bd99413187604e8ef1b12a80bf",
      values: [
        "xa" + "pp-1-A5LKVYSNJCG-9169392318144-b74c68bd1ee27518e4bd6e1e465a7829ebc325bd99413187604e8ef1b12a80bf",
      ],
    },
    {
      kind: "vendor-openai",
      text:
        "openai.api_key = 'sk-p" +
        "roj-hhQODeVuf0F-uZPwCp1MlmWt3Zwla825Gfkeou0eKM5H-kT9SBG9BaJTBdv3j7y59R5ZfA1LYKT3Bl" +
        "bkFJvG5KPyyRdyO57Ojp6HQ6iTlY8K_qy0VptOtRY_l31pnGQwBCH2quXXJy-OxQuJ-22NrE40jz_B'",
      values: [
        "sk-p" +
          "roj-hhQODeVuf0F-uZPwCp1MlmWt3Zwla825Gfkeou0eKM5H-kT9SBG9BaJTBdv3j7y59R5ZfA1LYKT3Bl" +
          "bkFJvG5KPyyRdyO57Ojp6HQ6iTlY8K_qy0VptOtRY_l31pnGQwBCH2quXXJy-OxQuJ-22NrE40jz_B",
      ],
    },
    {
      kind: "vendor-openai",
      text: "Incorrect API key provided: sk-Z70ZfjLx5dc7GHcX4N4aT3Bl" + "bkFJeasN67OPmA2aIGdBVxEf. Check your account.",
      values: ["sk-Z70ZfjLx5dc7GHcX4N4aT3Bl" + "bkFJeasN67OPmA2aIGdBVxEf"],
    },
    {
      kind: "vendor-anthropic",
      text:
        "export ANTHROPIC_API_KEY=sk-" +
        "ant-api03-qkHchd4__uJGJFxUDZtqxgQI-X8pIKl2T_YIrBImDyn2FfQ6OcOs1ufYvLyonGeuSyX1IHeEgy14IImYd5fn-KVKDGk7fAA",
      values: [
        "sk-" +
          "ant-api03-qkHchd4__uJGJFxUDZtqxgQI-X8pIKl2T_YIrBImDyn2FfQ6OcOs1ufYvLyonGeuSyX1IHeEgy14IImYd5fn-KVKDGk7fAA",
      ],
    },
    {
      kind: "vendor-anthropic",
      text:
        '{"claudeAiOauth":{"accessToken":"sk-' +
        'ant-oat01-i0B4IIlL3eZOMR0ODa_V4-FFdnh0QDn7veXmZJ83PCGpiRwzhT7osgQX7kxm1iNWjnrhAfA87xWmT1FdrdjNrDZqqwK8hAA","refreshToken":"sk-' +
        'ant-ort01-D_kfBFuWM5tqUzXlqz35bQEWVOsfXHFReW0BvctVMIAxCAak9g0wUIW6RwiJ0leIrLWyJQZERTeMTwsGZ3fsdW0Wo0SozAA","expiresAt":1717000000000}}',
      values: [
        "sk-" +
          "ant-oat01-i0B4IIlL3eZOMR0ODa_V4-FFdnh0QDn7veXmZJ83PCGpiRwzhT7osgQX7kxm1iNWjnrhAfA87xWmT1FdrdjNrDZqqwK8hAA",
        "sk-" +
          "ant-ort01-D_kfBFuWM5tqUzXlqz35bQEWVOsfXHFReW0BvctVMIAxCAak9g0wUIW6RwiJ0leIrLWyJQZERTeMTwsGZ3fsdW0Wo0SozAA",
      ],
    },
    {
      kind: "vendor-npm",
      text: "//registry.npmjs.org/:_authToken=np" + "m_yjDElUTfMJIbPD4DlSn8qJpmkhp38vG69lPv",
      values: ["np" + "m_yjDElUTfMJIbPD4DlSn8qJpmkhp38vG69lPv"],
    },
    {
      kind: "vendor-google",
      text: 'const map = new Loader({ apiKey: "AI' + 'zalT5hLRmvH9gkEqTW3LGhur-wutpoSkHOImj" });',
      values: ["AI" + "zalT5hLRmvH9gkEqTW3LGhur-wutpoSkHOImj"],
    },
    {
      kind: "vendor-google",
      text:
        '{"type":"service_account","project_id":"acme","private_key_id":"2769100a24a6514cbb7928ac4d8b505ff3a5c241","private_key":"-----BEGIN PRIVA' +
        "TE KEY-----\\nqf4En1ni6ZUKSYPsmp9b2tZb+IHE/41LEyV6En6Ho9xC9GCb0ClDacg9i24jZTKS\\nln/cFewaP72VsRe83HEO7Ne855leaWM4C0HWSKcm354G1Vnqj0TBPIwvl2VAVmdb\\n-----END PRIVA" +
        'TE KEY-----\\n"}',
      values: [
        "qf4En1ni6ZUKSYPsmp9b2tZb+IHE/41LEyV6En6Ho9xC9GCb0ClDacg9i24jZTKS",
        "ln/cFewaP72VsRe83HEO7Ne855leaWM4C0HWSKcm354G1Vnqj0TBPIwvl2VAVmdb",
      ],
    },
    {
      kind: "vendor-google",
      text:
        '{"installed":{"client_id":"123.apps.googleusercontent.com","client_secret":"GOC' +
        'SPX-FcmFuOUPsGlG91Buq5U6advtn3Lf"}}\n' +
        "access: ya" +
        "29.UkKOWlPfppWMsvmMeeXyUEMqXhlDxXR6x4Wh7qOy-Lm4EGObY4OZ6-NJRXsqn5onC8_4dPDzdR3mmt9362MWMFAc2SnL8zzH4uL41eVTJ5N9cGKiwNVVVFIc",
      values: [
        "GOC" + "SPX-FcmFuOUPsGlG91Buq5U6advtn3Lf",
        "ya" +
          "29.UkKOWlPfppWMsvmMeeXyUEMqXhlDxXR6x4Wh7qOy-Lm4EGObY4OZ6-NJRXsqn5onC8_4dPDzdR3mmt9362MWMFAc2SnL8zzH4uL41eVTJ5N9cGKiwNVVVFIc",
      ],
    },
    {
      kind: "vendor-jwt",
      text:
        '$ curl -H "Authorization: Bearer e' +
        "yJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e" +
        'yJzdWIiOiAidTgzODMiLCAiaWF0IjogMTcxNzAwMDAwMH0.sIK8yAOoX9wmLBvHZZXF3Z2ANmcRtmYuiLIK4KuJeEZ" localhost:8080/me',
      values: [
        "e" +
          "yJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e" +
          "yJzdWIiOiAidTgzODMiLCAiaWF0IjogMTcxNzAwMDAwMH0.sIK8yAOoX9wmLBvHZZXF3Z2ANmcRtmYuiLIK4KuJeEZ",
      ],
    },
    {
      kind: "vendor-jwt",
      text:
        'localStorage.id = "e' +
        "yJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e" +
        'yJzdWIiOiAidTk1MzgiLCAiaWF0IjogMTcxNzAwMDAwMH0.2ikiYuI0kZ2fUZoFW3GfLoF24GB9oih1vUZ7t5gWiVb"',
      values: [
        "e" +
          "yJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e" +
          "yJzdWIiOiAidTk1MzgiLCAiaWF0IjogMTcxNzAwMDAwMH0.2ikiYuI0kZ2fUZoFW3GfLoF24GB9oih1vUZ7t5gWiVb",
      ],
    },
    {
      kind: "vendor-pem",
      text:
        "-----BEGIN RSA PRIVA" +
        "TE KEY-----\n" +
        "gq8iJIfFFHIue9tTbXUFrYyfe1dKeKCEBG4ypekt905BfZU0ONfc6RazG7kddFrw\n" +
        "n+GUNNBJMWBWm4Co6WcxZECX2ke0wMd4F323/M6cM+RgKstWZ9CxqvH3YSMsVCDj\n" +
        "AOwtmh2zmMV26r5Z0BBmOQWmscltLEAeelgmX8769uN=\n" +
        "-----END RSA PRIVA" +
        "TE KEY-----",
      values: [
        "gq8iJIfFFHIue9tTbXUFrYyfe1dKeKCEBG4ypekt905BfZU0ONfc6RazG7kddFrw",
        "n+GUNNBJMWBWm4Co6WcxZECX2ke0wMd4F323/M6cM+RgKstWZ9CxqvH3YSMsVCDj",
        "AOwtmh2zmMV26r5Z0BBmOQWmscltLEAeelgmX8769uN",
      ],
    },
    {
      kind: "vendor-pem",
      text:
        "     1\t-----BEGIN OPENSSH PRIVA" +
        "TE KEY-----\n" +
        "     2\tfwmgagTfHiKlCWsC4bBB97etyXwLTZ10NLnJqrFxPD2rj2qj2rQcG0f6kM2BZ2v9kw53HP\n" +
        "     3\tgyG15jsqKozThy94wa6lhhT1e0rkQHIzZMzbZJ5LfzjcidIjjkmP0bjwy9qQ3HfaV0kwFN\n" +
        "     4\tM2UldV7P1G9mL9ACQk/b78tW7regRH\n" +
        "     5\t-----END OPENSSH PRIVA" +
        "TE KEY-----",
      values: [
        "fwmgagTfHiKlCWsC4bBB97etyXwLTZ10NLnJqrFxPD2rj2qj2rQcG0f6kM2BZ2v9kw53HP",
        "gyG15jsqKozThy94wa6lhhT1e0rkQHIzZMzbZJ5LfzjcidIjjkmP0bjwy9qQ3HfaV0kwFN",
        "M2UldV7P1G9mL9ACQk/b78tW7regRH",
      ],
    },
    {
      kind: "vendor-pem",
      text:
        "+-----BEGIN EC PRIVA" +
        "TE KEY-----\n" +
        "+xspb2y3l72jWxmPd7p89fXjTVkH05B7oKJ9L0BSs45jBUEx/BeAsMAuYP6HAhPMe\n" +
        "+6tce5Xc/fCUsFvzSHDeiOFcYoRcRT+TtasSrDwtr8cQAlw1XJnMdIQJY+XWr9D9i",
      values: [
        "xspb2y3l72jWxmPd7p89fXjTVkH05B7oKJ9L0BSs45jBUEx/BeAsMAuYP6HAhPMe",
        "6tce5Xc/fCUsFvzSHDeiOFcYoRcRT+TtasSrDwtr8cQAlw1XJnMdIQJY+XWr9D9i",
      ],
    },
    {
      kind: "vendor-pem",
      text:
        "PuTTY-Use" +
        "r-Key-File-3: ssh-ed25519\n" +
        "Private-Lines: 1\n" +
        "oVglI+wXd/hgA4KXW5g7KB6z8gpS+Bm2BKgWzivldSyWWpt=\n" +
        "Private-MAC: 2eb25f1060336392750ec2458870715c8498ec62ec9854ccec1833fcf08810d2",
      values: ["oVglI+wXd/hgA4KXW5g7KB6z8gpS+Bm2BKgWzivldSyWWpt"],
    },
    {
      kind: "vendor-pem",
      text:
        "-----BEGIN PGP PRIVA" +
        "TE KEY BLOCK-----\n" +
        "\n" +
        "0rqoBGZ+va9z2gMEkc5w4h60nn/LXcYzHXrhaisCKLBRgwERU/fdK2CF4K3Vx8Bk\n" +
        "My5BkBPuhGtg66VWaRObx2yjjlLeHFsASG39MiPeopMmuaaOAOsWXQudI9WHDkoO\n" +
        "=pBTh\n" +
        "-----END PGP PRIVA" +
        "TE KEY BLOCK-----",
      values: [
        "0rqoBGZ+va9z2gMEkc5w4h60nn/LXcYzHXrhaisCKLBRgwERU/fdK2CF4K3Vx8Bk",
        "My5BkBPuhGtg66VWaRObx2yjjlLeHFsASG39MiPeopMmuaaOAOsWXQudI9WHDkoO",
      ],
    },
    {
      kind: "vendor-age",
      text:
        "# created: 2024-04-01T10:00:00Z\n" +
        "AGE-SECR" +
        "ET-KEY-1ZSNZNLS4WL5KLXZ6RSC8S8W3HTJHV5HL8UF2QLZPV7QRRNFJ9D7E74DQ05",
      values: ["AGE-SECR" + "ET-KEY-1ZSNZNLS4WL5KLXZ6RSC8S8W3HTJHV5HL8UF2QLZPV7QRRNFJ9D7E74DQ05"],
    },
    {
      kind: "vendor-sendgrid",
      text: 'sgMail.setApiKey("S' + 'G.bXXwsZGoX_bXrHNSPv4R2f.an6BJAQl9uDTU05y_eFr0lojKUr3pLC8dweEWpUOKQ4");',
      values: ["S" + "G.bXXwsZGoX_bXrHNSPv4R2f.an6BJAQl9uDTU05y_eFr0lojKUr3pLC8dweEWpUOKQ4"],
    },
    {
      kind: "vendor-huggingface",
      text: "huggingface-cli login --token h" + "f_clmKEfZLpnlOZuyOWVOUzAEdQTvKFAInfd",
      values: ["h" + "f_clmKEfZLpnlOZuyOWVOUzAEdQTvKFAInfd"],
    },
    {
      kind: "vendor-digitalocean",
      text: "doctl auth init -t dop" + "_v1_4dc076fba735951a942bed6734becc88608b144b0b2a03738e1539a748a9a7bb",
      values: ["dop" + "_v1_4dc076fba735951a942bed6734becc88608b144b0b2a03738e1539a748a9a7bb"],
    },
    {
      kind: "vendor-shopify",
      text: "X-Shopify-Access-Token: shp" + "at_604c3039b4b1f56ee62dd5a7618638bc",
      values: ["shp" + "at_604c3039b4b1f56ee62dd5a7618638bc"],
    },
    {
      kind: "vendor-pypi",
      text:
        "[pypi]\n" +
        "username = __token__\n" +
        "password = pypi" +
        "-AgEIcHlwaS5vcmc10AoEMroFiOCmTN-jS70n4e-Juq8dj0KZyncOCsKZYLojF8n45jfIEdI3yy4Svv_WtT2KgdZUkJFT8O0aYLBtulZy7poR1DB4dtMhIoS3FXafMXj8hAZstIO",
      values: [
        "pypi" +
          "-AgEIcHlwaS5vcmc10AoEMroFiOCmTN-jS70n4e-Juq8dj0KZyncOCsKZYLojF8n45jfIEdI3yy4Svv_WtT2KgdZUkJFT8O0aYLBtulZy7poR1DB4dtMhIoS3FXafMXj8hAZstIO",
      ],
    },
    {
      kind: "vendor-telegram",
      text: "https://api.telegram.org/bot8773327691:AAR_BuvXTQxkA9FafX3rNdrm7q5zB1IHMiJ/getMe",
      values: ["AAR_BuvXTQxkA9FafX3rNdrm7q5zB1IHMiJ"],
    },
    {
      kind: "vendor-discord",
      text: 'client.login("MWAZmT8wyIzrLyQRrAldBocwWu.GONNZ7.5pgsFrewejGxlKFxq66H40DIw2uidmHbI02sx0")',
      values: ["MWAZmT8wyIzrLyQRrAldBocwWu.GONNZ7.5pgsFrewejGxlKFxq66H40DIw2uidmHbI02sx0"],
    },
    {
      kind: "vendor-discord",
      text:
        "webhook: https://discord.com/" +
        "api/webhooks/621473238551489586/6hVmwKzGqPgLtJxbOiFF9pGweedNdtDiH9r4yHx3hx9UziI_mb7xj-8_1TCXH9OEV5Lw",
      values: ["6hVmwKzGqPgLtJxbOiFF9pGweedNdtDiH9r4yHx3hx9UziI_mb7xj-8_1TCXH9OEV5Lw"],
    },
    {
      kind: "vendor-hashicorp",
      text:
        "Key                  Value\n" +
        "---                  -----\n" +
        "token                hv" +
        "s.hI9YzSLAyRKL1x2GzEQ7DvP7Y36zGPwJWkeznSmV4SbGcow8Ew7Xov4yoQfExGmtp8ju5gTnyK7F0ZHuI3hmZoOpiK\n" +
        "token_accessor       2G96P9XjhTe5rwGe2yCUka9y",
      values: ["hv" + "s.hI9YzSLAyRKL1x2GzEQ7DvP7Y36zGPwJWkeznSmV4SbGcow8Ew7Xov4yoQfExGmtp8ju5gTnyK7F0ZHuI3hmZoOpiK"],
    },
    {
      kind: "vendor-hashicorp",
      text:
        'credentials "app.terraform.io" { token = "Xg9fL830VP912N.atl' +
        'asv1.T8geE010kmej5SKOt3javSwrVy5My17jRSIq6nYq5ciDzBhUGNkZHV8ozGX9" }',
      values: ["Xg9fL830VP912N.atl" + "asv1.T8geE010kmej5SKOt3javSwrVy5My17jRSIq6nYq5ciDzBhUGNkZHV8ozGX9"],
    },
    {
      kind: "vendor-azure",
      text: 'az storage blob list --sas-token "sv=2022-11-02&ss=b&se=2025-01-01&sig=4RkTXQbNEmb9r7dX1H0LtTzG5/JBCU54tJ4bE7GvShF%3D"',
      values: ["4RkTXQbNEmb9r7dX1H0LtTzG5/JBCU54tJ4bE7GvShF"],
    },
    {
      kind: "vendor-databricks",
      text: "databricks configure --token <<< da" + "pi73c0ddf2c983e07bf2b826e0b302f318",
      values: ["da" + "pi73c0ddf2c983e07bf2b826e0b302f318"],
    },
    {
      kind: "vendor-docker",
      text: "docker login -u acme -p dckr" + "_pat_aNBQ5jPqgrXmScKaS4HfcjLOY_6",
      values: ["dckr" + "_pat_aNBQ5jPqgrXmScKaS4HfcjLOY_6"],
    },
    {
      kind: "vendor-grafana",
      text:
        'curl -H "Authorization: Bearer gl' +
        'sa_ikSTOqJvzUikVKqwA5Eb0IbBCw34mSoi_d3e2844e" https://graf.example/api/org',
      values: ["gl" + "sa_ikSTOqJvzUikVKqwA5Eb0IbBCw34mSoi_d3e2844e"],
    },
    {
      kind: "vendor-linear",
      text:
        "LINEAR=lin_" +
        "api_CN0gQSm3kHmRk4Dw63KDo1ESDXi7r26CHLHZBLQe\n" +
        "NOTION=nt" +
        "n_SkHWVWJsU6K4mmkm6skCFV2OaWkkHwvKyFziF1je2Nt5DY",
      values: [
        "lin_" + "api_CN0gQSm3kHmRk4Dw63KDo1ESDXi7r26CHLHZBLQe",
        "nt" + "n_SkHWVWJsU6K4mmkm6skCFV2OaWkkHwvKyFziF1je2Nt5DY",
      ],
    },
    {
      kind: "vendor-atlassian",
      text:
        "jira login kim@example.org ATA" +
        "TT3xFfGF07WQsIFJpyNqGASRVHKUN2UkY4p5GWXYdc1fkTrIeWJf8m9361Skuyd4B-aSQxjIYEsHnmhuc4RfHd5VdVNr8iFT7ogDT2gnVTto8MEaXP3IlVw5st__Zl5lqryMMyCTwJz4H2fmMqxSNkqEjABSxj3ge-Bt__wzExnyI8rRwv3em_vbtSQG7=55CD6277",
      values: [
        "ATA" +
          "TT3xFfGF07WQsIFJpyNqGASRVHKUN2UkY4p5GWXYdc1fkTrIeWJf8m9361Skuyd4B-aSQxjIYEsHnmhuc4RfHd5VdVNr8iFT7ogDT2gnVTto8MEaXP3IlVw5st__Zl5lqryMMyCTwJz4H2fmMqxSNkqEjABSxj3ge-Bt__wzExnyI8rRwv3em_vbtSQG7",
      ],
    },
    {
      kind: "vendor-cloud",
      text:
        "groq: gs" +
        "k_LBnDOcv5jzblp5GaXQufsv1Zp5fUpSunKlGTR4QzQIe0R1K4Tw0e\n" +
        "xai: xa" +
        "i-yOqO8XUV2KezOhhEuzqbH9SlsFIuKfzBlVJIHWnkAIbNxjgwuVfeD5ICy5cdbnClAuZ3cfmgl6FIZTiT\n" +
        "replicate: r" +
        "8_3if5UfTD7kKV7VGuxv265YhPhbyxeafnUQk3v\n" +
        "supabase: sb" +
        "p_6d0526a4a3370d084dcb0b33d62b47cf0ff6a872",
      values: [
        "gs" + "k_LBnDOcv5jzblp5GaXQufsv1Zp5fUpSunKlGTR4QzQIe0R1K4Tw0e",
        "xa" + "i-yOqO8XUV2KezOhhEuzqbH9SlsFIuKfzBlVJIHWnkAIbNxjgwuVfeD5ICy5cdbnClAuZ3cfmgl6FIZTiT",
        "r" + "8_3if5UfTD7kKV7VGuxv265YhPhbyxeafnUQk3v",
        "sb" + "p_6d0526a4a3370d084dcb0b33d62b47cf0ff6a872",
      ],
    },
    {
      kind: "vendor-mailgun",
      text: "curl -s --user 'api:ke" + "y-cb916429990e524c8b8c51e6046f6a36' https://api.mailgun.net/v3/domains",
      values: ["ke" + "y-cb916429990e524c8b8c51e6046f6a36"],
    },
    {
      kind: "vendor-sentry",
      text:
        "sentry-cli login --auth-token snt" + "ryu_c5e44a102cba4c803a62befb941a1e0822830cffce3fdd2ac0e1c1354aefcd0a",
      values: ["snt" + "ryu_c5e44a102cba4c803a62befb941a1e0822830cffce3fdd2ac0e1c1354aefcd0a"],
    },
    {
      kind: "vendor-newrelic",
      text: "NEW_RELIC_USER_KEY=NR" + "AK-EKUNFQASYC4GPGN7FW3BI6XYKQA",
      values: ["NR" + "AK-EKUNFQASYC4GPGN7FW3BI6XYKQA"],
    },
    {
      kind: "vendor-square",
      text:
        'const square = new Client({ accessToken: "EA' +
        'AAi1ga1GqGczYdOFwHqWAKxkyCKvXI_8TxZQ3PFIF9SQm0hC94Ulgq3XC3gPRi" });',
      values: ["EA" + "AAi1ga1GqGczYdOFwHqWAKxkyCKvXI_8TxZQ3PFIF9SQm0hC94Ulgq3XC3gPRi"],
    },
    {
      kind: "vendor-postman",
      text:
        "newman run https://api.getpostman.com/collections/7?apikey=PM" +
        "AK-e1ace2137b49a3b28ee823b5-444477e3af4f118ba50fe304a619923b98",
      values: ["PM" + "AK-e1ace2137b49a3b28ee823b5-444477e3af4f118ba50fe304a619923b98"],
    },
    {
      kind: "vendor-doppler",
      text: "doppler run --token dp." + "st.prd.VqqIyq34187J9h1SDqztnPT8XdjlFUhiusNGAdSCas9 -- npm start",
      values: ["dp." + "st.prd.VqqIyq34187J9h1SDqztnPT8XdjlFUhiusNGAdSCas9"],
    },
    {
      kind: "vendor-figma",
      text: "X-Figma-Token: fi" + "gd_jLpNcu3hrL-4mByL6vWKG8j_04uTORJspFlBNwMR",
      values: ["fi" + "gd_jLpNcu3hrL-4mByL6vWKG8j_04uTORJspFlBNwMR"],
    },
    {
      kind: "vendor-pulumi",
      text:
        "pulumi login: pu" +
        "l-1be845eaa748dee2ea2b62b65400a2f82515d596\n" +
        "rubygems: ruby" +
        "gems_782cf978828fc5b9bc4448459df2b4c4c3cbd1d716795f27",
      values: [
        "pu" + "l-1be845eaa748dee2ea2b62b65400a2f82515d596",
        "ruby" + "gems_782cf978828fc5b9bc4448459df2b4c4c3cbd1d716795f27",
      ],
    },
    {
      kind: "vendor-planetscale",
      text:
        "mysql -h aws.connect.psdb.cloud -u 9fjt7zy69ppt5ythgpts -ppscal" +
        "e_pw_SRF7Qx0Hgf8vXnr6S2FP5UINPf97sr3ZAXqurfCkvYP --ssl",
      values: ["pscal" + "e_pw_SRF7Qx0Hgf8vXnr6S2FP5UINPf97sr3ZAXqurfCkvYP"],
    },
    {
      kind: "vendor-airtable",
      text: 'airtable = Api("patMQpw8Zj4Sv7sIT.a11f7a9f8271bacf84f07fc160f443d785a6c84457b324361e77b36d733b20c1")',
      values: ["patMQpw8Zj4Sv7sIT.a11f7a9f8271bacf84f07fc160f443d785a6c84457b324361e77b36d733b20c1"],
    },
  ],
  nearMisses: [
    {
      kind: "code",
      text:
        "function checkPassword(password: string, hash: string): Promise<boolean> {\n" +
        "  return bcrypt.compare(password, hash);\n" +
        "}",
    },
    {
      kind: "code",
      text: "const password = process.env.DB_PASSWORD;\n" + 'if (!password) throw new Error("DB_PASSWORD is not set");',
    },
    {
      kind: "code",
      text: "const { password, ...rest } = user;\n" + "return rest;",
    },
    {
      kind: "code",
      text: "interface Login { user: string; password: string; token?: string | null }",
    },
    {
      kind: "code",
      text: "type Credentials = { username: string; password: SecretString; apiKey: ApiKey };",
    },
    {
      kind: "code",
      text: "self.password = password\n" + "self.token = token or self.load_token()",
    },
    {
      kind: "code",
      text: "def connect(host: str, user: str, password: str | None = None, timeout: int = 30) -> Connection:",
    },
    {
      kind: "code",
      text: 'password = getpass.getpass("Password: ")\n' + "token = secrets.token_urlsafe(32)",
    },
    {
      kind: "code",
      text:
        'String password = request.getParameter("password");\n' + "user.setPassword(passwordEncoder.encode(password));",
    },
    {
      kind: "code",
      text: 'cfg.Password = os.Getenv("MAIL_PASSWORD")\n' + 'if cfg.Password == "" { return errMissingPassword }',
    },
    {
      kind: "code",
      text: 'let password: String = env::var("DB_PASSWORD").expect("DB_PASSWORD must be set");',
    },
    {
      kind: "code",
      text: "$password = $_POST['password'] ?? '';\n" + "$token = bin2hex(random_bytes(16));",
    },
    {
      kind: "code",
      text:
        "public string Password { get; set; } = string.Empty;\n" + "public string? Secret => _options.Value.Secret;",
    },
    {
      kind: "code",
      text: "password: config.password,\n" + "secret: options.secret ?? defaults.secret,\n" + "token: ctx.token,",
    },
    {
      kind: "code",
      text: "const secret = await vault.read(`kv/${app}/db`);\n" + "const pass = secret.data.password;",
    },
    {
      kind: "code",
      text: "user.update!(password: params[:password], password_confirmation: params[:password_confirmation])",
    },
    {
      kind: "code",
      text:
        "password = var.db_password\n" +
        "master_password = random_password.main.result\n" +
        "token = data.aws_eks_cluster_auth.this.token",
    },
    {
      kind: "code",
      text:
        "while ((token = lexer.nextToken()) !== Token.EOF) {\n" +
        "  if (token.type === TokenType.Identifier) names.push(token.value);\n" +
        "}",
    },
    {
      kind: "code",
      text:
        "for key, value in mapping.items():\n" +
        '    if key == "password":\n' +
        "        continue\n" +
        "    out[key] = value",
    },
    {
      kind: "code",
      text: '<Input type="password" value={password} onChange={e => setPassword(e.target.value)} />',
    },
    {
      kind: "code",
      text: '<input type="password" name="password" autocomplete="current-password" required>',
    },
    {
      kind: "code",
      text:
        "const [showPassword, setShowPassword] = useState(false);\n" +
        "const toggle = () => setShowPassword(!showPassword);",
    },
    {
      kind: "code",
      text: "password: z.string().min(8).max(128),\n" + "token: z.string().optional(),",
    },
    {
      kind: "code",
      text: 'self.fields["password"].widget = forms.PasswordInput()',
    },
    {
      kind: "code",
      text: "validates :password, presence: true, length: { minimum: 12 }\n" + "has_secure_password",
    },
    {
      kind: "code",
      text: "pass  # nothing to do here\n" + "else:\n" + "    pass",
    },
    {
      kind: "code",
      text: 'case "password": return maskPassword(value);\n' + 'case "token": return maskToken(value);',
    },
    {
      kind: "code",
      text: 'secretKey := []byte(viper.GetString("jwt.secret"))',
    },
    {
      kind: "code",
      text:
        'const token = req.headers.authorization?.split(" ")[1];\n' + "if (token == null) return res.sendStatus(401);",
    },
    {
      kind: "code",
      text: 'headers: { Authorization: `Bearer ${accessToken}`, "X-Api-Key": apiKey }',
    },
    {
      kind: "code",
      text:
        "private final PasswordEncoder passwordEncoder;\n" + "private final SecretManagerServiceClient secretClient;",
    },
    {
      kind: "code",
      text: 'val password by remember { mutableStateOf("") }',
    },
    {
      kind: "code",
      text: "password=None, secret=None, token=None, passphrase=False",
    },
    {
      kind: "code",
      text: "#define PASSWORD_MAX_LEN 64\n" + "static int read_password(char *buf, size_t len);",
    },
    {
      kind: "code",
      text: 'if (password !== confirmPassword) { errors.password = t("errors.passwordMismatch"); }',
    },
    {
      kind: "reference",
      text: "DB_PASSWORD=${DB_PASSWORD}\n" + "API_TOKEN=$API_TOKEN\n" + "SECRET_KEY=${SECRET_KEY:?missing}",
    },
    {
      kind: "reference",
      text:
        "environment:\n" +
        "  POSTGRES_PASSWORD: ${POSTGRES_PASSWORD}\n" +
        "  POSTGRES_PASSWORD_FILE: /run/secrets/pg_password",
    },
    {
      kind: "reference",
      text: "env:\n" + "  NPM_TOKEN: ${{ secrets.NPM_TOKEN }}\n" + "  GH_TOKEN: ${{ github.token }}",
    },
    {
      kind: "reference",
      text: "password: {{ .Values.db.password | b64enc | quote }}\n" + 'token: "{{ vault_token }}"',
    },
    {
      kind: "reference",
      text: "ansible_become_pass: \"{{ lookup('env', 'BECOME_PASS') }}\"",
    },
    {
      kind: "reference",
      text:
        "- name: DB_PASSWORD\n" +
        "  valueFrom:\n" +
        "    secretKeyRef:\n" +
        "      name: db-credentials\n" +
        "      key: password",
    },
    {
      kind: "reference",
      text:
        "imagePullSecrets:\n" +
        "  - name: registry-credentials\n" +
        "serviceAccountName: deployer\n" +
        "automountServiceAccountToken: false",
    },
    {
      kind: "reference",
      text: "secretName: web-tls\n" + "existingSecret: grafana-admin\n" + "existingSecretPasswordKey: admin-password",
    },
    {
      kind: "reference",
      text: "arn:aws:secretsmanager:eu-central-1:111122223333:secret:prod/db/password-Ab12Cd",
    },
    {
      kind: "reference",
      text: "aws secretsmanager get-secret-value --secret-id prod/smtp --query SecretString --output text",
    },
    {
      kind: "reference",
      text: "mysql -u root -p\"$MYSQL_ROOT_PASSWORD\" -e 'show databases'",
    },
    {
      kind: "reference",
      text: 'curl -H "Authorization: Bearer $TOKEN" -u "$USER:$PASS" https://api.example.org',
    },
    {
      kind: "reference",
      text: 'docker login -u "$REG_USER" --password-stdin < /run/secrets/registry',
    },
    {
      kind: "reference",
      text: "postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}:5432/${DB_NAME}",
    },
    {
      kind: "reference",
      text:
        "password_file: /etc/prometheus/password\n" +
        "bearer_token_file: /var/run/secrets/kubernetes.io/serviceaccount/token",
    },
    {
      kind: "reference",
      text: "spring.datasource.password=${DB_PASSWORD}\n" + "sonar.token=@sonar.token@",
    },
    {
      kind: "reference",
      text: "<password>${env.NEXUS_PASSWORD}</password>",
    },
    {
      kind: "placeholder",
      text: "DB_PASSWORD=<your-password>\n" + "API_KEY=your-api-ke" + "y-here\n" + "SECRET=xxxxxxxxxxxx",
    },
    {
      kind: "placeholder",
      text: "password: ********\n" + "token: ****\n" + "secret: [hidden]",
    },
    {
      kind: "placeholder",
      text: "DB_PASSWORD=\n" + 'API_TOKEN=""\n' + "SECRET_KEY=''",
    },
    {
      kind: "placeholder",
      text: "mysql --user=<user> --password=<password> <database>",
    },
    {
      kind: "placeholder",
      text: "postgres://user:password@localhost:5432/dbname",
    },
    {
      kind: "placeholder",
      text:
        "AWS_SECRET_ACCESS_KEY=REPLACE_ME\n" +
        "STRIPE_KEY=sk_l" +
        "ive_...\n" +
        "GITHUB_TOKEN=gh" +
        "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    },
    {
      kind: "placeholder",
      text: "password: null\n" + "token: ~\n" + 'secret: ""\n' + "passphrase: false",
    },
    {
      kind: "placeholder",
      text: "master_password = (sensitive value)\n" + "token           = (known after apply)",
    },
    {
      kind: "placeholder",
      text: "Authorization: Bearer <token>\n" + "Cookie: session=<session-id>",
    },
    {
      kind: "docs",
      text:
        "## Reset your password\n" +
        "1. Click **Forgot password?** on the sign-in page.\n" +
        "2. Enter the e-mail address of your account.\n" +
        "3. Follow the link; it is valid for one hour.",
    },
    {
      kind: "docs",
      text: "The password must contain at least 12 characters, one digit and one symbol.",
    },
    {
      kind: "docs",
      text:
        "Password: a string of 8 to 64 characters. Required.\n" + "Token: opaque identifier returned by the server.",
    },
    {
      kind: "docs",
      text:
        "| Option | Type | Default | Description |\n" +
        "|---|---|---|---|\n" +
        "| `password` | `string` | none | Password of the database user |\n" +
        "| `token` | `string` | none | Access token, see below |",
    },
    {
      kind: "docs",
      text: "Das Passwort muss mindestens zehn Zeichen lang sein. Passwort vergessen? Bitte wenden Sie sich an die IT.",
    },
    {
      kind: "docs",
      text: "Le mot de passe doit contenir au moins huit caractères. Mot de passe oublié ?",
    },
    {
      kind: "docs",
      text: "La contraseña debe tener al menos ocho caracteres. ¿Ha olvidado su contraseña?",
    },
    {
      kind: "docs",
      text: "密码长度至少为八位。如果忘记密码，请联系管理员重置。",
    },
    {
      kind: "docs",
      text: "Secrets are stored in the vault and never written to disk; tokens expire after 15 minutes.",
    },
    {
      kind: "docs",
      text: "Never share your password with anyone. Our staff will not ask for it.",
    },
    {
      kind: "docs",
      text: "Use `password_hash()` rather than `md5()`; the secret key is read from the environment.",
    },
    {
      kind: "i18n",
      text:
        "{\n" +
        '  "login.password": "Password",\n' +
        '  "login.forgot": "Forgot your password?",\n' +
        '  "login.token": "Enter the token from your app"\n' +
        "}",
    },
    {
      kind: "i18n",
      text:
        "{\n" +
        '  "password": "Passwort",\n' +
        '  "passwordRepeat": "Passwort wiederholen",\n' +
        '  "secret": "Geheimnis"\n' +
        "}",
    },
    {
      kind: "i18n",
      text:
        "fr:\n" +
        '  password: "Mot de passe"\n' +
        '  password_hint: "Au moins huit caractères"\n' +
        '  token: "Jeton d\'accès"',
    },
    {
      kind: "i18n",
      text:
        'msgid "Password"\n' +
        'msgstr "Contraseña"\n' +
        "\n" +
        'msgid "The two passwords do not match."\n' +
        'msgstr "Las dos contraseñas no coinciden."',
    },
    {
      kind: "i18n",
      text:
        '<string name="password_label">Password</string>\n' +
        '<string name="password_too_short">Password is too short</string>',
    },
    {
      kind: "i18n",
      text: "password=密码\n" + "password.required=请输入密码\n" + "password.mismatch=两次输入的密码不一致",
    },
    {
      kind: "error",
      text: 'Error: password authentication failed for user "app"',
    },
    {
      kind: "error",
      text: "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)",
    },
    {
      kind: "error",
      text: "SyntaxError: Unexpected token '}' in JSON at position 412",
    },
    {
      kind: "error",
      text:
        "remote: Invalid username or password.\n" +
        "fatal: Authentication failed for 'https://git.example.com/team/app.git/'",
    },
    {
      kind: "error",
      text: "error TS2339: Property 'password' does not exist on type 'User'.",
    },
    {
      kind: "error",
      text:
        "KeyError: 'password'\n" + '  File "app/auth.py", line 41, in login\n' + '    password = payload["password"]',
    },
    {
      kind: "error",
      text: "sudo: a terminal is required to read the password; either use the -S option or configure an askpass helper",
    },
    {
      kind: "error",
      text: "JsonWebTokenError: jwt malformed; token: undefined",
    },
    {
      kind: "tokens",
      text: '{"usage":{"input_tokens":1204,"output_tokens":388,"cache_read_input_tokens":20480,"total_tokens":22072}}',
    },
    {
      kind: "tokens",
      text: "max_tokens: 4096\n" + 'stop_token: "</s>"\n' + "pad_token_id: 50256",
    },
    {
      kind: "tokens",
      text:
        'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")\n' +
        'tokens = tokenizer.tokenize("unaffable")\n' +
        "print(tokens)  # ['una', '##ffa', '##ble']",
    },
    {
      kind: "tokens",
      text: '{"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>", "unk_token": "[UNK]"}',
    },
    {
      kind: "tokens",
      text: ":root {\n" + "  --token-color-primary: #1d4ed8;\n" + "  --token-space-md: 12px;\n" + "}",
    },
    {
      kind: "tokens",
      text: '{"color":{"brand":{"$type":"color","$value":"#ff6600","token":"brand.primary"}}}',
    },
    {
      kind: "hash",
      text: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty.txt",
    },
    {
      kind: "hash",
      text: "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\n" + "Author: Kim <kim@example.org>",
    },
    {
      kind: "hash",
      text:
        '"integrity": "sha512-nZX1dtghC5H0nQjs5vdVuAQTrh87hsk7Lg6s0FAQngVIvl3uwiqM4Hu0QbA2gZ/D5xX7/cP+rZdJS3a+vvfMY0==",\n' +
        '"resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz"',
    },
    {
      kind: "hash",
      text: "github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=",
    },
    {
      kind: "hash",
      text:
        'checksum = "2ebfef59bcf78c6347481bc4a01f6e513d7b4172374bb742ee678ae2a10cab39"\n' +
        'name = "secrecy"\n' +
        'version = "0.8.0"',
    },
    {
      kind: "hash",
      text: "image: postgres@sha256:dc316deabb43aa63c7d9039ef770118948517029b5722c7e62049cc58bfddc81",
    },
    {
      kind: "hash",
      text: "request_id=7f8c1a52-3f0e-4d0a-9a5e-0d5b8d0c7e11 trace_id=4bf92f3577b34da6a3ce929d0e0e4736",
    },
    {
      kind: "hash",
      text: 'ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"\n' + "Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==",
    },
    {
      kind: "public-key",
      text: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFt6NRdChHaxdZ8hCv4Artqlz+WBU7POQnvZUAqrbzqG kim@laptop",
    },
    {
      kind: "public-key",
      text:
        "-----BEGIN PUBLIC KEY-----\n" +
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEG+SGiubdr6GaKs0b4wG5u9WjaNvC\n" +
        "SEvTDfH12HNRz0ty8P71ZKeZ63YCwrR74QbuzqT5jUCFVy3GNdZGowOQaZl4\n" +
        "-----END PUBLIC KEY-----",
    },
    {
      kind: "certificate",
      text:
        "-----BEGIN CERTIFICATE-----\n" +
        "MIIBwqVq6ApS4OCABSSz+79PiCfy4b9gbhJBtbnERVcvL3Usy++cUcjrXHwVXZj9\n" +
        "gxDsKBjWzBWKugCYMsYWy2FWSuYjilFGdWibtgEUJkEUzyOpGnCQteO5W7WFxAWa\n" +
        "-----END CERTIFICATE-----",
    },
    {
      kind: "public-key",
      text: '{"keys":[{"kty":"EC","crv":"P-256","x":"WXHoStI51vdAL0USTkIKuaJ60sW3CJlsnh41a_BSJh6","y":"6w7GJj3qC6SxlXX_Sheh0TaMd1FP580CZZ1nROGxKCw","kid":"2024-05","use":"sig"}]}',
    },
    {
      kind: "public-key",
      text:
        "SHA256:18U1gQzq2Y3j5OLpYH6m2NWOJLDt6xnyB8cg7t1mGBd kim@laptop (ED25519)\n" + "The key's randomart image is:",
    },
    {
      kind: "sql",
      text:
        "CREATE TABLE users (\n" +
        "  id bigserial PRIMARY KEY,\n" +
        "  password_hash varchar(255) NOT NULL,\n" +
        "  reset_token uuid,\n" +
        "  token_expires_at timestamptz\n" +
        ");",
    },
    {
      kind: "sql",
      text:
        "ALTER TABLE accounts ADD COLUMN password text;\n" +
        "SELECT id, password, token FROM accounts WHERE token IS NOT NULL;",
    },
    {
      kind: "sql",
      text:
        "UPDATE users SET password = $1, reset_token = NULL WHERE id = $2;\n" +
        "INSERT INTO users (email, password) VALUES (?, ?);",
    },
    {
      kind: "sql",
      text: "FOREIGN KEY (secret_id) REFERENCES secrets (id) ON DELETE CASCADE",
    },
    {
      kind: "cli-help",
      text:
        "  -p, --password string     password for the registry\n" +
        "      --password-stdin      take the password from stdin\n" +
        "  -u, --username string     user name\n" +
        "      --token string        access token (default: none)",
    },
    {
      kind: "cli-help",
      text: "usage: tool login [-h] [--user USER] [--password PASSWORD] [--token TOKEN] host",
    },
    {
      kind: "cli-help",
      text:
        "SSHPASS(1)\n" +
        "  -p password   The password is given on the command line.\n" +
        "  -f file       Read the password from a file.",
    },
    {
      kind: "listing",
      text:
        "NAME                  TYPE                                  DATA   AGE\n" +
        "db-credentials        Opaque                                2      41d\n" +
        "default-token-x7k2p   kubernetes.io/service-account-token   3      90d",
    },
    {
      kind: "listing",
      text: "$ gh secret list\n" + "DEPLOY_PASSWORD  2024-03-01\n" + "NPM_TOKEN        2024-04-18",
    },
    {
      kind: "listing",
      text:
        "src/auth/password.ts\n" +
        "src/auth/password-reset.ts\n" +
        "src/auth/token-store.ts\n" +
        "config/secrets.example.yaml",
    },
    {
      kind: "listing",
      text:
        "-rw------- 1 kim kim  411 May  2 09:14 /home/kim/.ssh/id_ed25519\n" +
        "-rw-r--r-- 1 kim kim   98 May  2 09:14 /home/kim/.ssh/id_ed25519.pub\n" +
        "-rw------- 1 kim kim   44 May  2 09:15 /home/kim/.pgpass",
    },
    {
      kind: "test",
      text:
        'describe("password reset", () => {\n' +
        '  it("rejects an expired token", async () => { expect(await reset(expiredToken)).toBe(false); });\n' +
        "});",
    },
    {
      kind: "test",
      text:
        "def test_password_is_hashed(user):\n" +
        "    assert user.password != raw_password\n" +
        '    assert user.password.startswith("argon2")',
    },
    {
      kind: "test",
      text:
        "✓ hides the password in logs (12 ms)\n" +
        "✓ refreshes the token before it expires (31 ms)\n" +
        "Tests: 2 passed, 2 total",
    },
    {
      kind: "prose",
      text: "The secret to good pass-through caching is a stable key: derive it from the path, not from the token order.",
    },
    {
      kind: "prose",
      text: "We pass the key to the map and the token to the parser; both pass through the same queue.",
    },
    {
      kind: "prose",
      text: "It is no secret that the password screen is our slowest page. The key point: avoid two round trips.",
    },
    {
      kind: "prose",
      text: "Mountain pass: closed. Boarding pass: printed. First pass: complete; second pass: pending.",
    },
    {
      kind: "prose",
      text: "The password is required, the token is optional and the secret is generated automatically.",
    },
    {
      kind: "prose",
      text: "Das Passwort ist abgelaufen, und das Token wird beim Anmelden erneuert.",
    },
    {
      kind: "commit",
      text:
        "fix(auth): do not log password on failed login\n" +
        "feat: rotate refresh token on every use\n" +
        "chore: rename secret to clientSecret",
    },
    {
      kind: "changelog",
      text:
        "## 2.4.0\n" +
        "- Added: `--password-file` option\n" +
        "- Changed: token lifetime from 60 to 15 minutes\n" +
        "- Fixed: password: empty strings were accepted",
    },
    {
      kind: "todo",
      text:
        "- [ ] password: move hashing to a worker\n" +
        "- [x] token: add expiry check\n" +
        "- [ ] secrets: write migration guide",
    },
    {
      kind: "graph",
      text: "graph TD\n" + "  Login -->|password| Auth\n" + "  Auth -->|token| Api\n" + "  Api --> SecretStore",
    },
    {
      kind: "graph",
      text:
        "sequenceDiagram\n" +
        "  Client->>Server: POST /login (user, password)\n" +
        "  Server-->>Client: token, refresh_token",
    },
    {
      kind: "regex",
      text: "const RE = /(?:password|passwd|pwd|secret|token)\\s*[:=]\\s*[\"']?([^\\s\"']+)/gi;",
    },
    {
      kind: "regex",
      text: 'PASSWORD_PATTERN = re.compile(r"^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d@$!%*?&]{8,}$")',
    },
    {
      kind: "regex",
      text: 'id = "github-pat"\n' + "regex = '''gh" + "p_[0-9a-zA-Z]{36}'''\n" + 'keywords = ["gh' + 'p_"]',
    },
    {
      kind: "lint",
      text:
        "src/db.ts:14:9  error  Hardcoded password found  no-hardcoded-credentials\n" +
        "B105:hardcoded_password_string  Possible hardcoded password",
    },
    {
      kind: "lint",
      text:
        "warning: unused variable: `password`\n" +
        "  --> src/login.rs:22:9\n" +
        "   |\n" +
        "22 |     let password = read_line()?;\n" +
        "   |         ^^^^^^^^ help: if this is intentional, prefix it with an underscore: `_password`",
    },
    {
      kind: "log",
      text:
        "2024-05-02T08:11:09Z INFO auth: password changed for user=kim id=4411\n" +
        "2024-05-02T08:11:10Z INFO auth: token refreshed, expires_in=900",
    },
    {
      kind: "log",
      text: "Compiled 214 modules in 3.2s; key count: 88; cache key: webpack-prod-v5",
    },
    {
      kind: "log",
      text:
        "May  2 09:11:02 web1 sshd[811]: Failed password for invalid user admin from 10.0.0.9 port 51122 ssh2\n" +
        "May  2 09:11:04 web1 sshd[811]: Accepted publickey for kim from 10.0.0.3 port 50010",
    },
    {
      kind: "log",
      text: 'PLAY RECAP: web01 ok=12 changed=2; task "Set database password" skipped',
    },
    {
      kind: "config",
      text:
        "passwordPolicy:\n" + "  minLength: 12\n" + "  requireSymbol: true\n" + "  maxAgeDays: 90\n" + "tokenTtl: 15m",
    },
    {
      kind: "config",
      text: "PasswordAuthentication no\n" + "PermitEmptyPasswords no\n" + "PermitRootLogin prohibit-password",
    },
    {
      kind: "config",
      text:
        "auth:\n" +
        "  password_encoder: argon2id\n" +
        "  token_store: redis\n" +
        "  secret_backend: vault\n" +
        "  key_format: pem",
    },
    {
      kind: "config",
      text:
        "password    requisite     pam_pwquality.so retry=3\n" +
        "password    sufficient    pam_unix.so sha512 shadow use_authtok",
    },
    {
      kind: "config",
      text: "permissions:\n" + "  id-token: write\n" + "  contents: read\n" + "  secrets: inherit",
    },
    {
      kind: "openapi",
      text:
        "securitySchemes:\n" +
        "  bearerAuth:\n" +
        "    type: http\n" +
        "    scheme: bearer\n" +
        "    bearerFormat: JWT",
    },
    {
      kind: "openapi",
      text:
        "properties:\n" +
        "  password:\n" +
        "    type: string\n" +
        "    format: password\n" +
        "    minLength: 12\n" +
        "  token:\n" +
        '    $ref: "#/components/schemas/Token"',
    },
    {
      kind: "graphql",
      text:
        "type Mutation {\n" +
        "  login(email: String!, password: String!): AuthPayload!\n" +
        "  resetPassword(token: ID!, newPassword: String!): Boolean!\n" +
        "}",
    },
    {
      kind: "proto",
      text:
        "message LoginRequest {\n" +
        "  string user = 1;\n" +
        "  string password = 2;\n" +
        "  optional string otp_token = 3;\n" +
        "}",
    },
    {
      kind: "css",
      text: 'input[type="password"] { letter-spacing: 0.2em; }\n' + ".password-strength--weak { color: #c00; }",
    },
    {
      kind: "diff",
      text:
        "-  const token = getToken();\n" +
        "+  const token = await getToken({ refresh: true });\n" +
        "   return login(user, password);",
    },
    {
      kind: "import",
      text:
        'import { hashPassword, verifyPassword } from "../lib/password.js";\n' +
        "from secrets import token_hex, compare_digest",
    },
    {
      kind: "url",
      text:
        "https://example.org/account/password/reset?lang=de\n" + "https://docs.example.org/guides/tokens#refresh-token",
    },
    {
      kind: "mail",
      text:
        "Subject: Your password was changed\n" +
        "Hello Kim, the password of your account was changed on 2 May. If this was not you, contact support.",
    },
  ],
};
