// Texts by an author who had not read the filter. Only for measuring: do not tune the filter on these.
import type { Corpus } from "./measure-corpus.ts";

export const CORPUS: Corpus = {
  secrets: [
    {
      kind: "dotenv",
      text: "NODE_ENV=production\nPORT=3000\nDB_HOST=db.intern.example.net\nDB_USER=shop\nDB_PASSWORD=regenschirm\nDB_NAME=shop_live",
      values: ["regenschirm"],
    },
    {
      kind: "dotenv",
      text: "# mail\nSMTP_HOST=mail.example.org\nSMTP_USER=noreply@example.org\nSMTP_PASS=!Karussell\nSMTP_PORT=587",
      values: ["!Karussell"],
    },
    { kind: "dotenv", text: "REDIS_PASSWORD=@ltesHaus\nREDIS_URL=redis://cache:6379/0", values: ["@ltesHaus"] },
    {
      kind: "dotenv",
      text: 'APP_NAME="Ledger"\nADMIN_PASSWORD="#Sonnenblume!"\nADMIN_EMAIL=ops@example.com',
      values: ["#Sonnenblume!"],
    },
    { kind: "dotenv", text: "MYSQL_ROOT_PASSWORD=$ommerwind\nMYSQL_DATABASE=wp", values: ["$ommerwind"] },
    {
      kind: "dotenv",
      text: "LDAP_BIND_DN=cn=svc-git,ou=svc,dc=corp,dc=example\nLDAP_BIND_PW=kf7.Wq2mTzP",
      values: ["kf7.Wq2mTzP"],
    },
    {
      kind: "dotenv",
      text: "export FTP_USER=deploy\nexport FTP_PASS='three blind mice'\nexport FTP_HOST=ftp.example.net",
      values: ["three blind mice"],
    },
    { kind: "dotenv", text: "SESSION_SECRET=keyboardwarrior\nCOOKIE_NAME=sid", values: ["keyboardwarrior"] },
    {
      kind: "dotenv",
      text: "JWT_SECRET=please-dont-tell-anyone\nJWT_EXPIRES_IN=7d",
      values: ["please-dont-tell-anyone"],
    },
    {
      kind: "dotenv",
      text: "POSTGRES_USER=umami\nPOSTGRES_PASSWORD=Lucy2019 # same as on the old box\nPOSTGRES_DB=umami",
      values: ["Lucy2019"],
    },
    {
      kind: "dotenv",
      text: "APP_KEY=base64:q8Z1hVn0uXy3mT6rLw9sKd2fGj5bPc7eAi4oUtRxYzE=\nAPP_URL=http://localhost",
      values: ["q8Z1hVn0uXy3mT6rLw9sKd2fGj5bPc7eAi4oUtRxYzE="],
    },
    { kind: "dotenv", text: "SONAR_LOGIN=ci\nSONAR_PASSWD=Überraschung", values: ["Überraschung"] },
    { kind: "dotenv", text: 'DB_PASSWORD = "P@ss w0rd with spaces"\nDB_SSL = true', values: ["P@ss w0rd with spaces"] },
    {
      kind: "dotenv",
      text: "ENCRYPTION_KEY=4f9d0b8a7e6c5d3f2a1b0c9e8d7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f\nENCRYPTION_ALGO=aes-256-gcm",
      values: ["4f9d0b8a7e6c5d3f2a1b0c9e8d7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f"],
    },
    { kind: "dotenv", text: "API_SECRET=ab1.Cd2efGh\nAPI_BASE=https://api.example.io/v2", values: ["ab1.Cd2efGh"] },
    {
      kind: "cli",
      text: "$ mysql --host db1 --user root --password Blumentopf shop < dump.sql",
      values: ["Blumentopf"],
    },
    {
      kind: "cli",
      text: '$ mysql -u root -pTr0ub4dor shop -e "select count(*) from orders"\ncount(*)\n1824',
      values: ["Tr0ub4dor"],
    },
    {
      kind: "cli",
      text: "mysqldump -h 10.0.3.7 -u backup --password='Nacht&Nebel' crm | gzip > crm.sql.gz",
      values: ["Nacht&Nebel"],
    },
    {
      kind: "cli",
      text: "$ PGPASSWORD=wintersleep psql -h pg.example.net -U app -d app -c '\\dt'",
      values: ["wintersleep"],
    },
    {
      kind: "cli",
      text: "java -Dspring.profiles.active=prod -Dspring.datasource.password=Moosbeere -jar app.jar",
      values: ["Moosbeere"],
    },
    {
      kind: "cli",
      text: "curl -s -u admin:Butterblume https://nexus.example.net/service/rest/v1/status",
      values: ["Butterblume"],
    },
    {
      kind: "cli",
      text: "curl --user 'jenkins:w@ffle.Iron' -X POST https://ci.example.net/job/build/build",
      values: ["w@ffle.Iron"],
    },
    {
      kind: "cli",
      text: "curl -X POST https://auth.example.com/login -d 'username=marta&password=Kirschbaum' -c jar.txt",
      values: ["Kirschbaum"],
    },
    {
      kind: "cli",
      text: 'curl -X POST http://localhost:8080/api/login -H \'Content-Type: application/json\' -d \'{"email":"joe@example.com","password":"bigredtruck"}\'',
      values: ["bigredtruck"],
    },
    {
      kind: "cli",
      text: "sshpass -p 'Fernweh.88' ssh -o StrictHostKeyChecking=no root@203.0.113.9 uptime",
      values: ["Fernweh.88"],
    },
    {
      kind: "cli",
      text: "unzip -P osterhase archiv.zip -d out/\nArchive:  archiv.zip\n  inflating: out/liste.csv",
      values: ["osterhase"],
    },
    { kind: "cli", text: "7z x backup.7z -pSchneeflocke -o/tmp/restore", values: ["Schneeflocke"] },
    {
      kind: "cli",
      text: 'gpg --batch --pinentry-mode loopback --passphrase "the quick red panda" -d db.gpg',
      values: ["the quick red panda"],
    },
    {
      kind: "cli",
      text: "openssl pkcs12 -in cert.p12 -nodes -passin pass:Fahrradkette -out cert.pem",
      values: ["Fahrradkette"],
    },
    {
      kind: "cli",
      text: "keytool -importkeystore -srckeystore a.p12 -srcstorepass Pfeffer -destkeystore b.jks -deststorepass Vanillekipferl",
      values: ["Vanillekipferl", "Pfeffer"],
    },
    {
      kind: "cli",
      text: "redis-cli -h cache.internal -a Nachtigall --no-auth-warning ping\nPONG",
      values: ["Nachtigall"],
    },
    {
      kind: "cli",
      text: "127.0.0.1:6379> AUTH Seepferdchen\nOK\n127.0.0.1:6379> INFO keyspace",
      values: ["Seepferdchen"],
    },
    { kind: "cli", text: '127.0.0.1:6379> CONFIG SET requirepass "Winter!Lager"\nOK', values: ["Winter!Lager"] },
    {
      kind: "cli",
      text: "C:\\> net use Z: \\\\fileserver\\projects Sommer2023! /user:CORP\\mhuber\nThe command completed successfully.",
      values: ["Sommer2023!"],
    },
    { kind: "cli", text: "net user bob Tulpenfeld /add", values: ["Tulpenfeld"] },
    {
      kind: "cli",
      text: "kubectl create secret generic db --from-literal=username=app --from-literal=password=Gewitterwolke -n shop\nsecret/db created",
      values: ["Gewitterwolke"],
    },
    {
      kind: "cli",
      text: "heroku config:set SECRET_KEY_BASE=thisIsOurLittleSecret RAILS_ENV=production -a ledger\nSetting SECRET_KEY_BASE, RAILS_ENV and restarting ledger... done, v41",
      values: ["thisIsOurLittleSecret"],
    },
    {
      kind: "cli",
      text: 'gh secret set DEPLOY_PASSWORD --body "Heidelbeere" --repo example/site\n✓ Set Actions secret DEPLOY_PASSWORD for example/site',
      values: ["Heidelbeere"],
    },
    {
      kind: "cli",
      text: 'echo "Kastanie" | docker login -u ci --password-stdin registry.example.net\ndocker login -u ci -p Kastanie registry.example.net\nWARNING! Using --password via the CLI is insecure.',
      values: ["Kastanie"],
    },
    {
      kind: "cli",
      text: "docker run -d --name pg -e POSTGRES_USER=dev -e POSTGRES_PASSWORD=topfpflanze -p 5432:5432 postgres:16",
      values: ["topfpflanze"],
    },
    {
      kind: "cli",
      text: 'docker run -d \\\n  --name mysql \\\n  -e MYSQL_ROOT_PASSWORD="¡Hola!Mundo" \\\n  -p 3306:3306 mysql:8',
      values: ["¡Hola!Mundo"],
    },
    {
      kind: "cli",
      text: "psql-migrate up \\\n  --user migrator \\\n  --password \\\n  Gartenzwerg \\\n  --dir ./migrations",
      values: ["Gartenzwerg"],
    },
    {
      kind: "cli",
      text: "helm upgrade --install pg bitnami/postgresql --set auth.postgresPassword=Mohnblume --set auth.database=app",
      values: ["Mohnblume"],
    },
    {
      kind: "cli",
      text: "az login --service-principal --username 0f3c --password 'Lq8~Rv3.TzWm_ePn' --tenant example.onmicrosoft.com",
      values: ["Lq8~Rv3.TzWm_ePn"],
    },
    {
      kind: "cli",
      text: 'ldapsearch -x -D "cn=admin,dc=example,dc=org" -w Pusteblume -b dc=example,dc=org',
      values: ["Pusteblume"],
    },
    {
      kind: "cli",
      text: "smbclient //nas/backup -U 'backup%Kellerassel'\nsmbclient //nas/backup -U backup --password=Kellerassel",
      values: ["Kellerassel"],
    },
    {
      kind: "cli",
      text: "vault kv put secret/shop/db username=shop password=Pfannkuchen\nvault login -method=userpass username=anna password=Pfannkuchen",
      values: ["Pfannkuchen"],
    },
    {
      kind: "cli",
      text: 'ansible-playbook site.yml -e "ansible_become_pass=Glockenturm ansible_user=ops"',
      values: ["Glockenturm"],
    },
    {
      kind: "cli",
      text: "nmcli dev wifi connect \"Cafe Luna\" password espresso-doppio\nDevice 'wlan0' successfully activated",
      values: ["espresso-doppio"],
    },
    {
      kind: "cli",
      text: 'wpa_passphrase Werkstatt hobelbank99\nnetwork={\n\tssid="Werkstatt"\n\t#psk="hobelbank99"\n\tpsk=6b1f0d5e9c2a47837e5f10ab94cd26e83f70b915d248ac6ef13579bd0248ace1\n}',
      values: ["hobelbank99", "6b1f0d5e9c2a47837e5f10ab94cd26e83f70b915d248ac6ef13579bd0248ace1"],
    },
    {
      kind: "cli",
      text: 'aws secretsmanager create-secret --name prod/db --secret-string \'{"username":"app","password":"Windmuehle"}\'',
      values: ["Windmuehle"],
    },
    {
      kind: "cli",
      text: "aws ssm put-parameter --name /prod/db/password --type SecureString --value Kaminfeuer --overwrite",
      values: ["Kaminfeuer"],
    },
    {
      kind: "cli",
      text: 'PS> $cred = ConvertTo-SecureString "Herbst!Laub" -AsPlainText -Force\nPS> New-LocalUser -Name svc -Password $cred',
      values: ["Herbst!Laub"],
    },
    {
      kind: "cli",
      text: "rclone config create nas webdav url https://dav.example.net user kim pass Apfelmus",
      values: ["Apfelmus"],
    },
    {
      kind: "cli",
      text: "$ history | tail -3\n  811  cd infra\n  812  export TF_VAR_db_password=Mitternacht\n  813  terraform plan",
      values: ["Mitternacht"],
    },
    { kind: "cli", text: "fish> set -x DB_PASSWORD Schlittschuh\nfish> bin/rails s", values: ["Schlittschuh"] },
    {
      kind: "yaml",
      text: "database:\n  host: db\n  user: app\n  password: sunflower\n  pool: 5",
      values: ["sunflower"],
    },
    {
      kind: "yaml",
      text: "production:\n  adapter: postgresql\n  username: rails\n  password: !Wackelpudding\n  host: 10.2.0.4",
      values: ["!Wackelpudding"],
    },
    {
      kind: "yaml",
      text: "spring:\n  datasource:\n    url: jdbc:postgresql://pg:5432/app\n    username: app\n    password: 'Drei$Kugeln Eis'",
      values: ["Drei$Kugeln Eis"],
    },
    {
      kind: "yaml",
      text: "smtp:\n  host: smtp.example.org\n  auth:\n    user: robot\n    pass: ab7.Kd9rtYq",
      values: ["ab7.Kd9rtYq"],
    },
    {
      kind: "yaml",
      text: "grafana:\n  adminUser: admin\n  adminPassword: strawberryfields\n  ingress:\n    enabled: true",
      values: ["strawberryfields"],
    },
    {
      kind: "yaml",
      text: "vault_password: >-\n  ein laengerer satz\n  den niemand errraet\nother: true",
      values: ["ein laengerer satz", "den niemand errraet"],
    },
    {
      kind: "yaml",
      text: "credentials:\n  password: |\n    Donaudampfschiff\n  username: ops",
      values: ["Donaudampfschiff"],
    },
    {
      kind: "yaml",
      text: "services:\n  db:\n    image: mariadb:11\n    environment:\n      MARIADB_ROOT_PASSWORD: hummelflug\n      MARIADB_DATABASE: app",
      values: ["hummelflug"],
    },
    {
      kind: "yaml",
      text: "services:\n  web:\n    environment:\n      - RAILS_ENV=production\n      - SECRET_KEY_BASE=ohSoVerySecretIndeed\n      - DB_PASS=Nudelsuppe",
      values: ["ohSoVerySecretIndeed", "Nudelsuppe"],
    },
    {
      kind: "yaml",
      text: "all:\n  hosts:\n    web1:\n      ansible_host: 10.0.0.11\n      ansible_user: ops\n      ansible_ssh_pass: Lakritze\n      ansible_become_pass: Lakritze!2",
      values: ["Lakritze!2", "Lakritze"],
    },
    {
      kind: "yaml",
      text: "- name: create db user\n  community.mysql.mysql_user:\n    name: shop\n    password: \"Zimt&Zucker\"\n    priv: 'shop.*:ALL'\n    state: present",
      values: ["Zimt&Zucker"],
    },
    {
      kind: "yaml",
      text: 'wifi:\n  ssid: shed\n  password: compostheap\nota:\n  - platform: esphome\n    password: flashme\napi:\n  encryption:\n    key: "pT4uWz8Rk1Lm6NqVb0XyHs3CdEf7Gj9KaOi2TrYeUwM="',
      values: ["compostheap", "flashme", "pT4uWz8Rk1Lm6NqVb0XyHs3CdEf7Gj9KaOi2TrYeUwM="],
    },
    { kind: "yaml", text: "imap_password: élan-vital\nimap_host: imap.example.fr", values: ["élan-vital"] },
    {
      kind: "yaml",
      text: 'redis:\n  password: "@ttic.Window"\n  sentinelPassword: $quirrel',
      values: ["@ttic.Window", "$quirrel"],
    },
    {
      kind: "k8s",
      text: "        env:\n        - name: DB_USER\n          value: app\n        - name: DB_PASSWORD\n          value: Schmetterling\n        - name: LOG_LEVEL\n          value: info",
      values: ["Schmetterling"],
    },
    {
      kind: "k8s",
      text: '    41\t        - name: SMTP_PASSWORD\n    42\t          value: "Wanderlust"\n    43\t        - name: SMTP_HOST\n    44\t          value: mail',
      values: ["Wanderlust"],
    },
    {
      kind: "k8s",
      text: "         - name: REDIS_PASSWORD\n-          value: altesbrot\n+          value: neuesbrot\n         - name: REDIS_HOST",
      values: ["altesbrot", "neuesbrot"],
    },
    {
      kind: "k8s",
      text: '{"spec":{"containers":[{"name":"api","env":[{"name":"ADMIN_PASSWORD","value":"Rhabarber"},{"name":"PORT","value":"8080"}]}]}}',
      values: ["Rhabarber"],
    },
    {
      kind: "k8s",
      text: '{"output":"        - name: MYSQL_PASSWORD\\n          value: Gluehwein\\n        - name: TZ\\n          value: UTC\\n"}',
      values: ["Gluehwein"],
    },
    {
      kind: "k8s",
      text: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  username: YXBw\n  password: U2NobmVlbWFubkltTWFp",
      values: ["U2NobmVlbWFubkltTWFp"],
    },
    {
      kind: "k8s",
      text: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop-tls\ntype: kubernetes.io/tls\ndata:\n  tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUI=\n  tls.key: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JR0hBZ0VBTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEJHMHdhd0lCQVFRZw==",
      values: [
        "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JR0hBZ0VBTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEJHMHdhd0lCQVFRZw==",
      ],
    },
    {
      kind: "k8s",
      text: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: mail\nstringData:\n  smtp-password: Klapperschlange\n  smtp-user: postbote",
      values: ["Klapperschlange"],
    },
    {
      kind: "k8s",
      text: "$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d; echo\nDB password: Fingerhut\n$ kubectl exec deploy/api -- env | grep PASS\nDB_PASSWORD=Fingerhut",
      values: ["Fingerhut"],
    },
    {
      kind: "k8s",
      text: '      "Environment": [\n        { "Name": "DB_PASSWORD", "Value": "Sternschnuppe" },\n        { "Name": "DB_HOST", "Value": "db.internal" }\n      ]',
      values: ["Sternschnuppe"],
    },
    {
      kind: "k8s",
      text: '"Env": [\n    "PATH=/usr/local/bin:/usr/bin",\n    "POSTGRES_PASSWORD=buttercup",\n    "PGDATA=/var/lib/postgresql/data"\n]',
      values: ["buttercup"],
    },
    { kind: "json", text: '{"login":"anna","passwd":"#MeinHund","remember":true}', values: ["#MeinHund"] },
    {
      kind: "json",
      text: '{\n  "args": ["--host", "db1", "--user", "root", "--password", "Erdbeere", "--ssl"]\n}',
      values: ["Erdbeere"],
    },
    {
      kind: "json",
      text: '"command": ["redis-server", "--requirepass", "Holzwurm", "--appendonly", "yes"]',
      values: ["Holzwurm"],
    },
    {
      kind: "json",
      text: '{"type":"tool_result","content":"DB_HOST=db\\nDB_PASSWORD=Kartoffelsalat\\nDB_PORT=5432\\n"}',
      values: ["Kartoffelsalat"],
    },
    {
      kind: "json",
      text: '{"tool":"Bash","input":{"command":"mysql -uroot --password=\\"Grashalm\\" -e \'show tables\'"}}',
      values: ["Grashalm"],
    },
    {
      kind: "json",
      text: '{\n  "ConnectionStrings": { "Default": "Server=sql1;Database=Shop;User Id=shop;Password=Hampelmann;TrustServerCertificate=True" },\n  "Jwt": { "Issuer": "shop", "Secret": "a very long phrase nobody guesses" }\n}', // check-words: data
      values: ["Hampelmann", "a very long phrase nobody guesses"], // check-words: data
    },
    {
      kind: "json",
      text: '{\n  "kty": "EC", "crv": "P-256", "kid": "sig-2024",\n  "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\n  "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",\n  "d": "tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM"\n}',
      values: ["tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM"],
    },
    {
      kind: "json",
      text: '{\n    "ARN": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/db-AbCdEf",\n    "Name": "prod/db",\n    "SecretString": "{\\"username\\":\\"app\\",\\"password\\":\\"Marzipan\\",\\"port\\":5432}",\n    "VersionStages": ["AWSCURRENT"]\n}',
      values: ["Marzipan"],
    },
    {
      kind: "json",
      text: '{\n    "ARN": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/hook-XyZ123",\n    "Name": "prod/hook",\n    "SecretString": "Bienenstich-am-Sonntag",\n    "CreatedDate": "2024-02-01T10:00:00Z"\n}',
      values: ["Bienenstich-am-Sonntag"],
    },
    {
      kind: "json",
      text: '{\n    "Parameter": {\n        "Name": "/shop/prod/DB_PASSWORD",\n        "Type": "SecureString",\n        "Value": "Dampflok",\n        "Version": 3\n    }\n}',
      values: ["Dampflok"],
    },
    {
      kind: "json",
      text: '{\n  "auths": {\n    "registry.example.net": { "auth": "Y2k6SGFmZW5ydW5kZmFocnQ=" }\n  }\n}',
      values: ["Y2k6SGFmZW5ydW5kZmFocnQ="],
    },
    {
      kind: "json",
      text: '{"data":{"createUser":{"id":17}},"variables":{"input":{"email":"li@example.com","password":"白い猫2020"}}}',
      values: ["白い猫2020"],
    },
    {
      kind: "json",
      text: '{"access_token":"xT7qLm2vRz9KwNp4","refresh_token":"Gh5sDe8YbUc1Jf6A","expires_in":3600,"token_type":"bearer"}',
      values: ["xT7qLm2vRz9KwNp4", "Gh5sDe8YbUc1Jf6A"],
    },
    {
      kind: "json",
      text: '[{"key":"ADMIN_PASSWORD","value":"Purzelbaum","type":"secret","enabled":true}]',
      values: ["Purzelbaum"],
    },
    {
      kind: "ini",
      text: "[mail]\nsmtp_user = robot\nsmtp_password = `Backtick#7\nsmtp_port = 465",
      values: ["`Backtick#7"],
    },
    {
      kind: "ini",
      text: '; grafana.ini\n[security]\nadmin_user = admin\nadmin_password = """#Semikolon;"""',
      values: ["#Semikolon;"],
    },
    {
      kind: "ini",
      text: "# /etc/redis/redis.conf\nport 6379\nrequirepass Schornsteinfeger\nmasterauth Schornsteinfeger",
      values: ["Schornsteinfeger"],
    },
    { kind: "ini", text: "machine api.example.net login ci password hazelnut-brittle", values: ["hazelnut-brittle"] },
    { kind: "ini", text: "# ~/.pgpass\npg.example.net:5432:app:app:Zwiebelkuchen", values: ["Zwiebelkuchen"] },
    {
      kind: "ini",
      text: 'network={\n    ssid="Garage"\n    psk="Wagenheber"\n    key_mgmt=WPA-PSK\n}',
      values: ["Wagenheber"],
    },
    {
      kind: "ini",
      text: "[web]\nweb1 ansible_host=10.0.0.5 ansible_user=root ansible_password=Regenbogen ansible_become_pass='Regen bogen'",
      values: ["Regenbogen", "Regen bogen"],
    },
    {
      kind: "ini",
      text: "[Interface]\nPrivateKey = 2Fq7ZyLm4XnTw8RkVb1CsDh6Jp9GeUaKi3OuYt5MxE0=\nAddress = 10.8.0.2/24\n[Peer]\nPublicKey = o9RtLw3ZkXm7VnBq1CyHs5DfJp8GeUaKi2TuYw4MxE8=\nPresharedKey = W6bTz1Qm9Lx4VnRk7CsYd2HfJp5GeUaKi8OuTw3MxE0=",
      values: ["2Fq7ZyLm4XnTw8RkVb1CsDh6Jp9GeUaKi3OuYt5MxE0=", "W6bTz1Qm9Lx4VnRk7CsYd2HfJp5GeUaKi8OuTw3MxE0="],
    },
    {
      kind: "ini",
      text: "[default]\nhost = pbx\nsecret = Telefonzelle\ncontext = from-internal",
      values: ["Telefonzelle"],
    },
    {
      kind: "toml",
      text: '[connections.analytics]\naccount = "xy12345.eu-central-1"\nuser = "etl"\npassword = \'!Steinpilz\'\nwarehouse = "WH_S"',
      values: ["!Steinpilz"],
    },
    { kind: "toml", text: '[secrets]\ntoken = """\nNordlicht-ueber-Tromsoe\n"""', values: ["Nordlicht-ueber-Tromsoe"] },
    {
      kind: "properties",
      text: "spring.datasource.username=app\nspring.datasource.password=Rotkehlchen\nserver.port=8443\nserver.ssl.key-store-password=Blaumeise",
      values: ["Rotkehlchen", "Blaumeise"],
    },
    {
      kind: "properties",
      text: "RELEASE_STORE_FILE=release.keystore\nRELEASE_STORE_PASSWORD=papageientaucher\nRELEASE_KEY_ALIAS=upload\nRELEASE_KEY_PASSWORD=papageientaucher",
      values: ["papageientaucher"],
    },
    { kind: "properties", text: "db.pass=\\u00dcbermut\\=99\ndb.user=app", values: ["\\u00dcbermut\\=99"] },
    {
      kind: "xml",
      text: '<bean id="ds" class="org.apache.commons.dbcp2.BasicDataSource">\n  <property name="username" value="app"/>\n  <property name="password" value="Wackelzahn"/>\n</bean>',
      values: ["Wackelzahn"],
    },
    {
      kind: "xml",
      text: '<add key="SmtpPassword" value="Nebelhorn" />\n<add key="SmtpUser" value="robot" />',
      values: ["Nebelhorn"],
    },
    {
      kind: "xml",
      text: '<wsse:UsernameToken>\n  <wsse:Username>partner</wsse:Username>\n  <wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">Lindenblatt</wsse:Password>\n</wsse:UsernameToken>',
      values: ["Lindenblatt"],
    },
    {
      kind: "xml",
      text: '<packageSourceCredentials>\n  <internal>\n    <add key="Username" value="ci" />\n    <add key="ClearTextPassword" value="Apfelstrudel" />\n  </internal>\n</packageSourceCredentials>',
      values: ["Apfelstrudel"],
    },
    { kind: "xml", text: "<password><![CDATA[<Spitzwegerich>]]></password>", values: ["Spitzwegerich"] },
    {
      kind: "xml",
      text: "<key>MQTTPassword</key>\n<string>Luftballon</string>\n<key>MQTTHost</key>\n<string>broker.example.net</string>",
      values: ["Luftballon"],
    },
    {
      kind: "code-php",
      text: "define('DB_NAME', 'wp');\ndefine('DB_USER', 'wp');\ndefine('DB_PASSWORD', 'Rosinenbrot');\ndefine( 'AUTH_KEY', 'x@|q 3Kp}V~t7&uZ+Lw1 )mN' );",
      values: ["Rosinenbrot", "x@|q 3Kp}V~t7&uZ+Lw1 )mN"],
    },
    {
      kind: "code-php",
      text: "$CONFIG = array (\n  'dbuser' => 'nextcloud',\n  'dbpassword' => 'Wolkenheim',\n  'passwordsalt' => 'tK9rW2zQm5Lx7VbN0cYs',\n  'secret' => 'uHfJp8dGe3UaKi6OuTwXyZM1qR4vBn',\n);",
      values: ["Wolkenheim", "tK9rW2zQm5Lx7VbN0cYs", "uHfJp8dGe3UaKi6OuTwXyZM1qR4vBn"],
    },
    { kind: "code-php", text: "'password' => env('DB_PASSWORD', 'Heuschrecke'),", values: ["Heuschrecke"] },
    {
      kind: "code-python",
      text: 'DATABASES = {\n    "default": {\n        "ENGINE": "django.db.backends.postgresql",\n        "USER": "app",\n        "PASSWORD": "tangerine",\n        "HOST": "db",\n    }\n}',
      values: ["tangerine"],
    },
    { kind: "code-python", text: 'PASSWORD = os.environ.get("FTP_PASSWORD", "Eisvogel")', values: ["Eisvogel"] },
    {
      kind: "code-python",
      text: 'conn = psycopg2.connect(host="db", dbname="app", user="app", password="lemonade", port=5432)',
      values: ["lemonade"],
    },
    {
      kind: "code-python",
      text: 's.login("robot@example.org", password=\'$chneekugel\')\nsecret = b"sesame-opens"',
      values: ["$chneekugel", "sesame-opens"],
    },
    {
      kind: "code-js",
      text: "const password = 'bananasplit';\nawait page.fill('#password', 'bananasplit');",
      values: ["bananasplit"],
    },
    {
      kind: "code-js",
      text: "const transporter = nodemailer.createTransport({\n  host: 'smtp.example.net',\n  auth: { user: 'robot', pass: '@nemone' },\n});",
      values: ["@nemone"],
    },
    {
      kind: "code-js",
      text: "app.use(session({ secret: 'mycatiscalledfelix', resave: false, saveUninitialized: false }));",
      values: ["mycatiscalledfelix"],
    },
    {
      kind: "code-js",
      text: 'const db = knex({ client: "pg", connection: { host: "db", user: "app", password: "ab3.Xy7qrTs" } });',
      values: ["ab3.Xy7qrTs"],
    },
    {
      kind: "code-ts",
      text: 'export const environment = {\n  production: true,\n  apiUser: "frontend",\n  apiPassword: "Ringelblume",\n};',
      values: ["Ringelblume"],
    },
    {
      kind: "code-ts",
      text: "private readonly dbPassword: string = \"Butterkeks\";\nstatic readonly SECRET: string = 'Spekulatius';",
      values: ["Butterkeks", "Spekulatius"],
    },
    {
      kind: "code-java",
      text: '@Value("${db.password:Petersilie}")\nprivate String dbPassword;',
      values: ["Petersilie"],
    },
    {
      kind: "code-gradle",
      text: "signingConfigs {\n    release {\n        storeFile file(\"upload.jks\")\n        storePassword 'maiglöckchen'\n        keyPassword 'maiglöckchen'\n    }\n}",
      values: ["maiglöckchen"],
    },
    {
      kind: "code-cs",
      text: 'var builder = new SqlConnectionStringBuilder { DataSource = "sql1", UserID = "app", Password = "Knoblauch" };',
      values: ["Knoblauch"],
    },
    {
      kind: "code-go",
      text: 'const dbPassword = "Kichererbse"\ncfg := mysql.Config{User: "app", Passwd: "Kichererbse", Net: "tcp"}',
      values: ["Kichererbse"],
    },
    {
      kind: "code-rust",
      text: 'let password = "Rucola".to_string();\nconst API_SECRET: &str = "Brennnessel";',
      values: ["Rucola", "Brennnessel"],
    },
    {
      kind: "code-ruby",
      text: "config.action_mailer.smtp_settings = {\n  user_name: 'robot',\n  password: 'Walnuss',\n  :authentication => :plain\n}\nActiveRecord::Base.establish_connection(:adapter => \"pg\", :password => \"Haselnuss\")",
      values: ["Walnuss", "Haselnuss"],
    },
    {
      kind: "code-c",
      text: '#define WIFI_SSID "Shed"\n#define WIFI_PASSWORD "lawnmower"\nstatic const char *mqtt_pass = "rakeandhoe";',
      values: ["lawnmower", "rakeandhoe"],
    },
    {
      kind: "code-ino",
      text: 'const char* ssid = "Heimnetz";\nconst char* password = "Giesskanne";\nchar pass[] = "Giess!Kanne";',
      values: ["Giesskanne", "Giess!Kanne"],
    },
    {
      kind: "code-perl",
      text: 'my $dbh = DBI->connect("dbi:mysql:shop", "shop", "Ingwertee");\nmy $password = q{Ingwertee};',
      values: ["Ingwertee"],
    },
    {
      kind: "code-elixir",
      text: 'config :app, App.Repo,\n  username: "postgres",\n  password: "Kamillentee",\n  hostname: "localhost"',
      values: ["Kamillentee"],
    },
    {
      kind: "code-ps1",
      text: "$Password = 'Kartenhaus'\n$env:DB_PASSWORD = \"Kartenhaus\"\nInvoke-Sqlcmd -Username sa -Password $Password",
      values: ["Kartenhaus"],
    },
    {
      kind: "code-nix",
      text: 'services.nextcloud.config.adminpass = "Froschkönig";\nusers.users.kim.initialPassword = "Rapunzel";',
      values: ["Froschkönig", "Rapunzel"],
    },
    {
      kind: "sql",
      text: "CREATE USER 'report'@'%' IDENTIFIED BY 'Buchweizen';\nGRANT SELECT ON shop.* TO 'report'@'%';",
      values: ["Buchweizen"],
    },
    { kind: "sql", text: "ALTER USER postgres WITH PASSWORD 'marmalade';", values: ["marmalade"] },
    { kind: "sql", text: "CREATE ROLE app LOGIN ENCRYPTED PASSWORD 'It''s raining';", values: ["It''s raining"] },
    {
      kind: "sql",
      text: "INSERT INTO users (email, password) VALUES ('admin@example.com', 'kangaroo');",
      values: ["kangaroo"],
    },
    {
      kind: "sql",
      text: "UPDATE accounts SET password = 'Pimpernell' WHERE login = 'kai';\nSET PASSWORD FOR 'kai'@'localhost' = PASSWORD('Pimpernell');",
      values: ["Pimpernell"],
    },
    {
      kind: "sql",
      text: "CREATE LOGIN etl WITH PASSWORD = N'Ackerschachtelhalm', CHECK_POLICY = OFF;",
      values: ["Ackerschachtelhalm"],
    },
    {
      kind: "table",
      text: "| System   | User  | Password     |\n|----------|-------|--------------|\n| Jenkins  | admin | Bratapfel    |\n| Grafana  | ops   | Lebkuchen!24 |",
      values: ["Bratapfel", "Lebkuchen!24"],
    },
    {
      kind: "table",
      text: "Host        Login     Passwort\nfritz.box   admin     Kellertreppe\nnas.local   backup    Dachboden",
      values: ["Kellertreppe", "Dachboden"],
    },
    {
      kind: "csv",
      text: 'name,email,password,role\nAda,ada@example.com,Silberdistel,admin\nBob,bob@example.com,"Gold,Regen",user',
      values: ["Silberdistel", "Gold,Regen"],
    },
    {
      kind: "csv",
      text: "url;username;password;note\nhttps://shop.example.net;kim;Vogelbeere;old account",
      values: ["Vogelbeere"],
    },
    {
      kind: "html",
      text: '<form action="/login" method="post">\n  <input type="text" name="user" value="demo">\n  <input type="password" name="password" value="Zaunkönig">\n</form>',
      values: ["Zaunkönig"],
    },
    {
      kind: "html",
      text: '<input value="Rohrspatz" id="db_pass" type="password" class="form-control"/>',
      values: ["Rohrspatz"],
    },
    {
      kind: "html",
      text: '<input type="hidden" name="api_token" value="Kq3vRz8LmWx5NpTb">',
      values: ["Kq3vRz8LmWx5NpTb"],
    },
    { kind: "html", text: "<tr><td>Password</td><td>Gummistiefel</td></tr>", values: ["Gummistiefel"] },
    {
      kind: "ansi",
      text: "\u001b[36mDB_PASSWORD\u001b[0m=\u001b[33mHagebutte\u001b[0m\n\u001b[36mDB_HOST\u001b[0m=\u001b[33mlocalhost\u001b[0m",
      values: ["Hagebutte"],
    },
    { kind: "ansi", text: "\u001b[1mpassword:\u001b[22m \u001b[32m'Distelfink'\u001b[39m,", values: ["Distelfink"] },
    {
      kind: "ansi",
      text: "\u001b[31m-  password: Altweibersommer\u001b[m\n\u001b[32m+\u001b[m\u001b[32m  password: Goldherbst\u001b[m",
      values: ["Altweibersommer", "Goldherbst"],
    },
    { kind: "nbsp", text: "password\u00a0=\u00a0Hirschkäfer\nhost\u00a0=\u00a0db1", values: ["Hirschkäfer"] },
    { kind: "nbsp", text: "Password:\u00a0Feldhamster", values: ["Feldhamster"] },
    {
      kind: "diff",
      text: "diff --git a/config/db.yml b/config/db.yml\n--- a/config/db.yml\n+++ b/config/db.yml\n@@ -3,5 +3,5 @@ production:\n   username: app\n-  password: Kuhglocke\n+  password: Ziegenbart",
      values: ["Kuhglocke", "Ziegenbart"],
    },
    { kind: "diff", text: "-DB_PASS=zwetschge\n+DB_PASS=${DB_PASS}\n DB_PORT=5432", values: ["zwetschge"] },
    {
      kind: "diff",
      text: '<<<<<<< HEAD\nconst SECRET = "Ameisenbär";\n=======\nconst SECRET = process.env.SECRET;\n>>>>>>> feature/env',
      values: ["Ameisenbär"],
    },
    {
      kind: "cat-n",
      text: "     1\t# settings\n     2\tuser: app\n     3\tpassword: Bettdecke\n     4\ttimeout: 30",
      values: ["Bettdecke"],
    },
    {
      kind: "cat-n",
      text: '  12→  "username": "app",\n  13→  "password": "Kopfkissen",\n  14→  "ssl": false',
      values: ["Kopfkissen"],
    },
    {
      kind: "grep",
      text: 'config/prod.yml:14:  smtp_password: Taschenlampe\nsrc/mail.py:88:    password="Taschenlampe",',
      values: ["Taschenlampe"],
    },
    {
      kind: "log",
      text: 'time="2024-05-12T09:14:02Z" level=info msg="connecting" db=app user=app passwd="Strickjacke" retries=3',
      values: ["Strickjacke"],
    },
    {
      kind: "log",
      text: "Generated root password: Yk3#vT9pLm!q\n2024-03-04T08:00:01Z [Entrypoint]: GENERATED ROOT PASSWORD: Rw7vXq2LzTn8",
      values: ["Yk3#vT9pLm!q", "Rw7vXq2LzTn8"],
    },
    {
      kind: "log",
      text: "A temporary password is generated for root@localhost: hT9,kq>Lw2zP",
      values: ["hT9,kq>Lw2zP"],
    },
    {
      kind: "log",
      text: "Using generated security password: 7c1d9e52-40ab-4f6e-9b3d-2a8f5e0c6d14",
      values: ["7c1d9e52-40ab-4f6e-9b3d-2a8f5e0c6d14"],
    },
    {
      kind: "log",
      text: 'Parameters: {"utf8"=>"✓", "user"=>{"email"=>"a@example.com", "password"=>"Trommelwirbel"}, "commit"=>"Log in"}',
      values: ["Trommelwirbel"],
    },
    {
      kind: "log",
      text: "Jenkins initial setup is required. Please use the following password to proceed to installation:\n\n4b7e1c9d05f24a68b3e0d7c1a9f52e86\n\nThis may also be found at: /var/jenkins_home/secrets/initialAdminPassword",
      values: ["4b7e1c9d05f24a68b3e0d7c1a9f52e86"],
    },
    {
      kind: "log",
      text: "GET /api/login?user=kim&password=Schaukelstuhl&next=%2F 302 12ms",
      values: ["Schaukelstuhl"],
    },
    {
      kind: "ci",
      text: "jobs:\n  test:\n    services:\n      postgres:\n        image: postgres:16\n        env:\n          POSTGRES_PASSWORD: applecrumble\n    env:\n      DATABASE_PASSWORD: applecrumble",
      values: ["applecrumble"],
    },
    {
      kind: "ci",
      text: 'variables:\n  DEPLOY_HOST: web1\n  DEPLOY_PASSWORD: "Bahnhofsuhr"\nscript:\n  - lftp -u deploy,$DEPLOY_PASSWORD $DEPLOY_HOST',
      values: ["Bahnhofsuhr"],
    },
    {
      kind: "dockerfile",
      text: "FROM node:20\nENV DB_PASSWORD=Stachelschwein\nARG NPM_PASS=Igelfisch\nENV LEGACY_PASSWORD Seestern",
      values: ["Stachelschwein", "Igelfisch", "Seestern"],
    },
    {
      kind: "systemd",
      text: '[Service]\nEnvironment=DB_USER=app\nEnvironment="DB_PASSWORD=Buntspecht"\nExecStart=/usr/bin/app',
      values: ["Buntspecht"],
    },
    {
      kind: "terraform",
      text: 'resource "aws_db_instance" "main" {\n  username = "app"\n  password = "Pfifferling"\n  engine   = "postgres"\n}',
      values: ["Pfifferling"],
    },
    {
      kind: "terraform",
      text: 'db_username = "app"\ndb_password = "!Austernseitling"\nregion      = "eu-central-1"',
      values: ["!Austernseitling"],
    },
    {
      kind: "terraform",
      text: '    {\n      "type": "random_password", "name": "db",\n      "instances": [{ "attributes": { "length": 16, "result": "t8Rk2LmZq5XwVn0P", "special": false } }]\n    }',
      values: ["t8Rk2LmZq5XwVn0P"],
    },
    {
      kind: "header",
      text: "POST /v1/items HTTP/1.1\nHost: api.example.net\nAuthorization: Basic a2ltOkdyaWxsZW5uYWNodA==\nContent-Type: application/json",
      values: ["a2ltOkdyaWxsZW5uYWNodA=="],
    },
    {
      kind: "header",
      text: "> Authorization: Bearer 8sKq2LmZt5XwVn0PrY7bHc\n> Accept: */*",
      values: ["8sKq2LmZt5XwVn0PrY7bHc"],
    },
    {
      kind: "header",
      text: "curl -H \"PRIVATE-TOKEN: zq9XkT2vLm7RwNp4\" https://git.example.net/api/v4/projects\ncurl -H 'X-Auth-Token: Hb5sDe8YbUc1Jf6A' https://git.example.net/api",
      values: ["zq9XkT2vLm7RwNp4", "Hb5sDe8YbUc1Jf6A"],
    },
    {
      kind: "cookie",
      text: "Set-Cookie: sessionid=k3vq8rz1lmw5nptbx7yh; Path=/; HttpOnly; Secure",
      values: ["k3vq8rz1lmw5nptbx7yh"],
    },
    {
      kind: "cookie",
      text: "# Netscape HTTP Cookie File\n#HttpOnly_app.example.net\tFALSE\t/\tTRUE\t1767225600\tsession_token\tpT4uWz8Rk1Lm6NqVb0Xy\napp.example.net\tFALSE\t/\tFALSE\t0\ttheme\tdark",
      values: ["pT4uWz8Rk1Lm6NqVb0Xy"],
    },
    {
      kind: "cookie",
      text: "curl 'https://app.example.net/me' -H 'cookie: theme=dark; connect.sid=s%3Aq7RvTz3mLw9KpX2c.NbYs5HfJp8dGe3UaKi6Ou; lang=en'",
      values: ["s%3Aq7RvTz3mLw9KpX2c.NbYs5HfJp8dGe3UaKi6Ou"],
    },
    {
      kind: "url",
      text: "https://hooks.example.net/notify?channel=ops&token=Wiesenschaumkraut",
      values: ["Wiesenschaumkraut"],
    },
    {
      kind: "url",
      text: "https://files.example.blob.core.windows.net/c/r.pdf?sv=2022-11-02&sr=b&sp=r&se=2024-09-01&sig=mX7%2BqLw3RzT9vKp2Nb5Ys8HfJd1Ge4UaKi6OuTwXyZM%3D",
      values: ["mX7%2BqLw3RzT9vKp2Nb5Ys8HfJd1Ge4UaKi6OuTwXyZM%3D"],
    },
    { kind: "chat", text: "the db password is sunnyside, please don't commit it", values: ["sunnyside"] },
    {
      kind: "chat",
      text: "You can log in with user kim and password Blumenkohl to reproduce this.",
      values: ["Blumenkohl"],
    },
    { kind: "chat", text: "creds for staging: admin / Brombeere!\npassword: Brombeere!", values: ["Brombeere!"] },
    {
      kind: "chat",
      text: 'My root password is "hunter and gatherer" — use it with sudo.',
      values: ["hunter and gatherer"],
    },
    {
      kind: "chat",
      text: "I've set the password to `Gänseblümchen` and restarted the service.",
      values: ["Gänseblümchen"],
    },
    { kind: "chat", text: "**Password:** Kokosnuss\n**Username:** ops", values: ["Kokosnuss"] },
    {
      kind: "chat",
      text: "run `sudo -S` and pass the sudo password Mandelkern1 on stdin\necho Mandelkern1 | sudo -S apt update",
      values: ["Mandelkern1"],
    },
    { kind: "chat", text: "pw = liebesbrief (the old one was postkarte)", values: ["liebesbrief"] },
    { kind: "chat", text: "api secret = $esamoeffnedich", values: ["$esamoeffnedich"] },
    { kind: "label-de", text: "Benutzer: kim\nPasswort: Zuckerrübe", values: ["Zuckerrübe"] },
    {
      kind: "label-de",
      text: "Zugangsdaten Router\n  Benutzername = admin\n  Passwort     = Gartenlaube!",
      values: ["Gartenlaube!"],
    },
    { kind: "label-fr", text: "Identifiant : claire\nMot de passe : tournesol", values: ["tournesol"] },
    { kind: "label-fr", text: 'mot_de_passe = "Châtaigne"\nmdp: "Châtaigne"', values: ["Châtaigne"] },
    { kind: "label-es", text: "usuario: marta\ncontraseña: girasoles", values: ["girasoles"] },
    { kind: "label-es", text: "La contraseña es ¡Vamos!2022\nclave: ¡Vamos!2022", values: ["¡Vamos!2022"] },
    { kind: "label-zh", text: "用户名：admin\n密码：xiaolongbao", values: ["xiaolongbao"] },
    { kind: "label-zh", text: "数据库密码: 小笼包good\n端口: 3306", values: ["小笼包good"] },
    { kind: "label-zh", text: "口令=woaibeijing\npassword：woaibeijing", values: ["woaibeijing"] },
    { kind: "label-fw", text: "Password：mooncake\nPort：8080", values: ["mooncake"] },
    { kind: "label-ja", text: "ユーザー名: tanaka\nパスワード: sakuramochi", values: ["sakuramochi"] },
    {
      kind: "router",
      text: "username admin privilege 15 password 0 Kabelsalat\nenable secret 0 Kabelsalat\nsnmp-server community Kabelsalat RO",
      values: ["Kabelsalat"],
    },
    { kind: "browser", text: "await page.getByLabel('Password').fill('Froschschenkel');", values: ["Froschschenkel"] },
    { kind: "connection", text: "DATABASE_URL=postgres://app:apricot@db.example.net:5432/app", values: ["apricot"] },
    { kind: "connection", text: "postgresql://kim:Frau.Holle@10.0.0.4/app?sslmode=require", values: ["Frau.Holle"] },
    {
      kind: "connection",
      text: "mongodb+srv://root:p@ss/word@cluster0.example.mongodb.net/shop?retryWrites=true",
      values: ["p@ss/word"],
    },
    {
      kind: "connection",
      text: 'MONGO_URL="mongodb://svc:it\'s@home@mongo1:27017,mongo2:27017/app?replicaSet=rs0"',
      values: ["it's@home"],
    },
    { kind: "connection", text: "mysql://shop:Zahnfee%21@db1:3306/shop", values: ["Zahnfee%21"] },
    { kind: "connection", text: "redis://:Uhrwerk@cache.internal:6379/1", values: ["Uhrwerk"] },
    { kind: "connection", text: "CELERY_BROKER_URL=amqp://worker:hoppelhase@mq:5672//", values: ["hoppelhase"] },
    {
      kind: "connection",
      text: 'SQLALCHEMY_DATABASE_URI = "mysql+pymysql://app:Segelboot@localhost/app"',
      values: ["Segelboot"],
    },
    {
      kind: "connection",
      text: "Server=tcp:sql.example.net,1433;Initial Catalog=Shop;User ID=shop;Password=Ankerkette;Encrypt=True;",
      values: ["Ankerkette"],
    },
    {
      kind: "connection",
      text: '"Default": "Host=pg;Port=5432;Username=app;Password=\'semi;colon\';Database=app"',
      values: ["semi;colon"],
    },
    {
      kind: "connection",
      text: "jdbc:mysql://db1:3306/shop?user=shop&password=Kompass&useSSL=true",
      values: ["Kompass"],
    },
    {
      kind: "connection",
      text: "jdbc:sqlserver://sql1:1433;databaseName=Shop;user=sa;password={Steuer}}rad};encrypt=true",
      values: ["{Steuer}}rad}"],
    },
    {
      kind: "connection",
      text: "jdbc:oracle:thin:scott/Ruderboot@//ora1:1521/ORCL\nsqlplus scott/Ruderboot@//ora1:1521/ORCL",
      values: ["Ruderboot"],
    },
    {
      kind: "connection",
      text: 'dsn = "host=pg user=app password=Bullauge dbname=app sslmode=disable"',
      values: ["Bullauge"],
    },
    { kind: "connection", text: 'dsn := "app:Kajüte@tcp(db1:3306)/shop?parseTime=true"', values: ["Kajüte"] },
    {
      kind: "connection",
      text: "git remote -v\norigin\thttps://kim:Leinwand@git.example.net/team/app.git (fetch)\norigin\thttps://kim:Leinwand@git.example.net/team/app.git (push)",
      values: ["Leinwand"],
    },
    {
      kind: "connection",
      text: "pip install --index-url https://ci:Pinselstrich@pypi.example.net/simple mypkg",
      values: ["Pinselstrich"],
    },
    {
      kind: "connection",
      text: "export HTTPS_PROXY=http://mhuber:Fruehling#1@proxy.corp.example:3128",
      values: ["Fruehling#1"],
    },
    { kind: "connection", text: "ftp://www:Hängematte@ftp.example.net/htdocs/", values: ["Hängematte"] },
    { kind: "connection", text: "smtp://robot%40example.org:Liegestuhl@mail.example.org:587", values: ["Liegestuhl"] },
    {
      kind: "connection",
      text: "DefaultEndpointsProtocol=https;AccountName=files;AccountKey=Rk9tWz2Qm7Lx4VnBq1CsYd5HfJp8GeUaKi3OuTw6MxE0Rk9tWz2Qm7Lx4VnBq1CsYd5HfJp8GeUaKi3OuTw6MxE0A==;EndpointSuffix=core.windows.net",
      values: ["Rk9tWz2Qm7Lx4VnBq1CsYd5HfJp8GeUaKi3OuTw6MxE0Rk9tWz2Qm7Lx4VnBq1CsYd5HfJp8GeUaKi3OuTw6MxE0A=="],
    },
    {
      kind: "connection",
      text: "Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM=",
      values: ["tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM="],
    },
    { kind: "connection", text: "clickhouse://default:quer/feldein@ch1:9000/logs", values: ["quer/feldein"] },
    {
      kind: "connection",
      text: 'error: could not connect to "postgres://reader:Sandkasten@10.1.1.1:5432/dwh": timeout',
      values: ["Sandkasten"],
    },
    {
      kind: "connection",
      text: "SENTRY_DSN=https://3f1c9a7e5b2d4860a1c3e5f7092b4d6e:8d2b4f6a0c1e3957b8d0f2a4c6e81357@sentry.example.net/4",
      values: ["8d2b4f6a0c1e3957b8d0f2a4c6e81357"],
    },
    {
      kind: "vendor-github",
      text: "export GITHUB_TOKEN=gh" + "p_R7kXq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9Ou",
      values: ["gh" + "p_R7kXq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9Ou"],
    },
    {
      kind: "vendor-github",
      text: "git clone https://x-access-token:gh" + "s_t5WvN0pYb8HcJd3GfSe6UaTi9OuR7kXq2LmZ@github.com/example/app.git",
      values: ["gh" + "s_t5WvN0pYb8HcJd3GfSe6UaTi9OuR7kXq2LmZ"],
    },
    {
      kind: "vendor-github",
      text:
        "try with this pat: github" +
        "_pat_11ABCDEFG0Xq2LmZt5WvN0_pYb8HcJd3GfSe6UaTi9OuR7kXq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9Ou",
      values: ["github" + "_pat_11ABCDEFG0Xq2LmZt5WvN0_pYb8HcJd3GfSe6UaTi9OuR7kXq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9Ou"],
    },
    {
      kind: "vendor-github",
      text:
        "github.com:\n    user: kim\n    oauth_token: gh" +
        "o_Yb8HcJd3GfSe6UaTi9OuR7kXq2LmZt5WvN0p\n    git_protocol: ssh",
      values: ["gh" + "o_Yb8HcJd3GfSe6UaTi9OuR7kXq2LmZt5WvN0p"],
    },
    {
      kind: "vendor-aws",
      text:
        "[default]\naws_access_key_id = AK" +
        "IAQ7RT2LMZ5WVN4PYB\naws_secret_access_key = tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwX",
      values: ["tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwX"],
    },
    {
      kind: "vendor-aws",
      text:
        '{"Credentials":{"AccessKeyId":"AS' +
        'IAX3KQ7RT2LMZ5WVN4","SecretAccessKey":"p/dGe3UaKi6OuTwXtR4k+9zQm2Lx7VbN0cYs5HfJ","SessionToken":"IQoJb3JpZ2luX2VjEHoaDGV1LWNlbnRyYWwtMSJHMEUCIQDk7Zr2XwTn5Lp9VbM3sYd8HfJ6cGe1Ua","Expiration":"2024-05-01T12:00:00Z"}}',
      values: [
        "p/dGe3UaKi6OuTwXtR4k+9zQm2Lx7VbN0cYs5HfJ",
        "IQoJb3JpZ2luX2VjEHoaDGV1LWNlbnRyYWwtMSJHMEUCIQDk7Zr2XwTn5Lp9VbM3sYd8HfJ6cGe1Ua",
      ],
    },
    {
      kind: "vendor-aws",
      text:
        "$ aws configure\nAWS Access Key ID [None]: AK" +
        "IAZ5WVN4PYBQ7RT2LM\nAWS Secret Access Key [None]: Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXtR4kW9zQm2",
      values: ["Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXtR4kW9zQm2"],
    },
    {
      kind: "vendor-stripe",
      text:
        "STRIPE_SECRET_KEY=sk" +
        "_live_51Hq7RvTz3mLw9KpX2cNbYs5Hf\nSTRIPE_WEBHOOK_SECRET=wh" +
        "sec_Jp8dGe3UaKi6OuTwXyZM1qR4vBnT7kWz",
      values: ["sk" + "_live_51Hq7RvTz3mLw9KpX2cNbYs5Hf", "wh" + "sec_Jp8dGe3UaKi6OuTwXyZM1qR4vBnT7kWz"],
    },
    {
      kind: "vendor-stripe",
      text: "const stripe = require('stripe')('rk" + "_live_51Kp8dGe3UaKi6OuTwXyZM1qR4');",
      values: ["rk" + "_live_51Kp8dGe3UaKi6OuTwXyZM1qR4"],
    },
    {
      kind: "vendor-slack",
      text: 'slack = WebClient(token="xo' + 'xb-2719403826-5830174629104-tR4kW9zQm2Lx7VbN0cYs5HfJ")',
      values: ["xo" + "xb-2719403826-5830174629104-tR4kW9zQm2Lx7VbN0cYs5HfJ"],
    },
    {
      kind: "vendor-slack",
      text:
        'curl -X POST -d \'{"text":"deployed"}\' https://hooks.sl' +
        "ack.com/services/T02KQ7RT2/B05WVN4PYB/xTn5Lp9VbM3sYd8HfJ6cGe1U",
      values: ["xTn5Lp9VbM3sYd8HfJ6cGe1U"],
    },
    {
      kind: "vendor-openai",
      text: 'openai.api_key = "sk' + "-proj-Xq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9OuR7kT3Blb" + 'kFJXq2LmZt5WvN0pYb8HcJd"',
      values: ["sk" + "-proj-Xq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9OuR7kT3Blb" + "kFJXq2LmZt5WvN0pYb8HcJd"],
    },
    {
      kind: "vendor-anthropic",
      text:
        "$ echo $ANTHROPIC_API_KEY\nsk" + "-ant-api03-tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM1qR4vBnT7kWz-QAxL9mAA",
      values: ["sk" + "-ant-api03-tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM1qR4vBnT7kWz-QAxL9mAA"],
    },
    {
      kind: "vendor-npm",
      text:
        "//registry.npmjs.org/:_authToken=np" +
        "m_Xq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9OuR7k\nregistry=https://registry.npmjs.org/",
      values: ["np" + "m_Xq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9OuR7k"],
    },
    {
      kind: "vendor-npm",
      text: "//nexus.example.net/repository/npm/:_auth=Y2k6S2FtaW5rZWhyZXI=\n//nexus.example.net/repository/npm/:_password=S2FtaW5rZWhyZXI=",
      values: ["Y2k6S2FtaW5rZWhyZXI=", "S2FtaW5rZWhyZXI="],
    },
    {
      kind: "vendor-gitlab",
      text: "glab auth login --hostname git.example.net --token gl" + "pat-Xq2LmZt5WvN0pYb8HcJd",
      values: ["gl" + "pat-Xq2LmZt5WvN0pYb8HcJd"],
    },
    {
      kind: "vendor-gitlab",
      text: "gitlab-runner register --url https://git.example.net --token gl" + "rt-t5WvN0pYb8HcJd3GfSe6",
      values: ["gl" + "rt-t5WvN0pYb8HcJd3GfSe6"],
    },
    {
      kind: "vendor-google",
      text:
        '<script src="https://maps.googleapis.com/maps/api/js?key=AI' +
        'zaSyD3GfSe6UaTi9OuR7kXq2LmZt5WvN0pYb8"></script>',
      values: ["AI" + "zaSyD3GfSe6UaTi9OuR7kXq2LmZt5WvN0pYb8"],
    },
    {
      kind: "vendor-google",
      text:
        '{"client_id":"40718.apps.googleusercontent.com","client_secret":"GOC' +
        'SPX-tR4kW9zQm2Lx7VbN0cYs5HfJp8dG","redirect_uris":["http://localhost"]}',
      values: ["GOC" + "SPX-tR4kW9zQm2Lx7VbN0cYs5HfJp8dG"],
    },
    {
      kind: "vendor-google",
      text:
        '{\n  "type": "service_account",\n  "project_id": "shop-123",\n  "private_key_id": "8d2b4f6a0c1e3957b8d0f2a4c6e8135790abcdef",\n  "private_key": "-----BEGIN PRIV' +
        "ATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDk7Zr2XwTn5Lp9\\nVbM3sYd8HfJ6cGe1UaKq0RtLw3ZkXm7VnBq1CyHs5DfJp8GeUaKi2TuYw4MxE8Qz\\n-----END PRIV" +
        'ATE KEY-----\\n",\n  "client_email": "ci@shop-123.iam.gserviceaccount.com"\n}',
      values: [
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDk7Zr2XwTn5Lp9",
        "VbM3sYd8HfJ6cGe1UaKq0RtLw3ZkXm7VnBq1CyHs5DfJp8GeUaKi2TuYw4MxE8Qz",
      ],
    },
    {
      kind: "vendor-jwt",
      text:
        "Authorization: Bearer ey" +
        "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
        "JzdWIiOiIxNyIsIm5hbWUiOiJraW0iLCJpYXQiOjE3MTUwMDAwMDB9.tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM",
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
          "JzdWIiOiIxNyIsIm5hbWUiOiJraW0iLCJpYXQiOjE3MTUwMDAwMDB9.tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM",
      ],
    },
    {
      kind: "vendor-jwt",
      text:
        "localStorage.setItem('sb-auth', 'ey" +
        "JhbGciOiJIUzI1NiJ9.ey" +
        "Jyb2xlIjoic2VydmljZV9yb2xlIiwiZXhwIjoxOTk5OTk5OTk5fQ.Kq3vRz8LmWx5NpTbYs5HfJp8dGe3UaKi6OuTwXyZM0c')",
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiJ9.ey" +
          "Jyb2xlIjoic2VydmljZV9yb2xlIiwiZXhwIjoxOTk5OTk5OTk5fQ.Kq3vRz8LmWx5NpTbYs5HfJp8dGe3UaKi6OuTwXyZM0c",
      ],
    },
    {
      kind: "vendor-pem",
      text:
        "-----BEGIN OPENSSH PRIV" +
        "ATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\nZWQyNTUxOQAAACBtR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZAAAAJhKq3v\n-----END OPENSSH PRIV" +
        "ATE KEY-----",
      values: [
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt",
        "ZWQyNTUxOQAAACBtR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZAAAAJhKq3v",
      ],
    },
    {
      kind: "vendor-pem",
      text:
        "$ head -3 server.key\n-----BEGIN RSA PRIV" +
        "ATE KEY-----\nMIIEpAIBAAKCAQEAtR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM1qR4v\nBnT7kWzKq3vRz8LmWx5NpTbYs5HfJp8dGe3UaKi6OuTwXyZMRk9tWz2Qm7Lx4VnB",
      values: [
        "MIIEpAIBAAKCAQEAtR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM1qR4v",
        "BnT7kWzKq3vRz8LmWx5NpTbYs5HfJp8dGe3UaKi6OuTwXyZMRk9tWz2Qm7Lx4VnB",
      ],
    },
    {
      kind: "vendor-pem",
      text:
        "     1\t-----BEGIN EC PRIV" +
        "ATE KEY-----\n     2\tMHcCAQEEIHq7RvTz3mLw9KpX2cNbYs5HfJp8dGe3UaKi6OuTwXyZoAoGCCqGSM49\n     3\tAwEHoUQDQgAEk0Vq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9OuR7kXq2LmZt5WvN0pY\n     4\t-----END EC PRIV" +
        "ATE KEY-----",
      values: [
        "MHcCAQEEIHq7RvTz3mLw9KpX2cNbYs5HfJp8dGe3UaKi6OuTwXyZoAoGCCqGSM49",
        "AwEHoUQDQgAEk0Vq2LmZt5WvN0pYb8HcJd3GfSe6UaTi9OuR7kXq2LmZt5WvN0pY",
      ],
    },
    {
      kind: "vendor-pem",
      text:
        "tls:\n  key: |\n    -----BEGIN PRIV" +
        "ATE KEY-----\n    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtR4kW9zQm2Lx7VbN\n    0cYs5HfJp8dGe3UaKi6OuTwXyZMhRANCAASRk9tWz2Qm7Lx4VnBq1CsYd5HfJp8G\n    -----END PRIV" +
        "ATE KEY-----",
      values: [
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtR4kW9zQm2Lx7VbN",
        "0cYs5HfJp8dGe3UaKi6OuTwXyZMhRANCAASRk9tWz2Qm7Lx4VnBq1CsYd5HfJp8G",
      ],
    },
    {
      kind: "vendor-sendgrid",
      text: "SENDGRID_API_KEY=S" + "G.q7RvTz3mLw9KpX2cNbYs5H.fJp8dGe3UaKi6OuTwXyZM1qR4vBnT7kWzKq3vRz8Lm0",
      values: ["S" + "G.q7RvTz3mLw9KpX2cNbYs5H.fJp8dGe3UaKi6OuTwXyZM1qR4vBnT7kWzKq3vRz8Lm0"],
    },
    {
      kind: "vendor-hf",
      text: "huggingface-cli login --token h" + "f_tRkWzQmLxVbNcYsHfJpdGeUaKiOuTwXyZM",
      values: ["h" + "f_tRkWzQmLxVbNcYsHfJpdGeUaKiOuTwXyZM"],
    },
    {
      kind: "vendor-telegram",
      text:
        "https://api.telegram.org/bot6183" +
        "940275:AAHq7RvTz3mLw9KpX2cNbYs5HfJp8dGe3Ua/sendMessage?chat_id=42&text=hi",
      values: ["AAHq7RvTz3mLw9KpX2cNbYs5HfJp8dGe3Ua"],
    },
    {
      kind: "vendor-discord",
      text: "client.login('MTE4Nz" + "Y0MTI5ODM3NDY1MTI5OA.G7kXq2.LmZt5WvN0pYb8HcJd3GfSe6UaTi9OuR7kXq2Lm');",
      values: ["LmZt5WvN0pYb8HcJd3GfSe6UaTi9OuR7kXq2Lm"],
    },
    {
      kind: "vendor-do",
      text: "doctl auth init -t do" + "p_v1_4f9d0b8a7e6c5d3f2a1b0c9e8d7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f",
      values: ["do" + "p_v1_4f9d0b8a7e6c5d3f2a1b0c9e8d7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f"],
    },
    {
      kind: "vendor-vault",
      text: "export VAULT_TOKEN=hv" + "s.CAESIJq7RvTz3mLw9KpX2cNbYs5HfJp8dGe3UaKi6OuTwX",
      values: ["hv" + "s.CAESIJq7RvTz3mLw9KpX2cNbYs5HfJp8dGe3UaKi6OuTwX"],
    },
    {
      kind: "vendor-pypi",
      text:
        "[pypi]\nusername = __token__\npassword = py" +
        "pi-AgEIcHlwaS5vcmcCJDdjMWQ5ZTUyLTQwYWItNGY2ZS05YjNkLTJhOGY1ZTBjNmQxNA",
      values: ["py" + "pi-AgEIcHlwaS5vcmcCJDdjMWQ5ZTUyLTQwYWItNGY2ZS05YjNkLTJhOGY1ZTBjNmQxNA"],
    },
    {
      kind: "vendor-age",
      text:
        "# created: 2024-03-01T10:00:00Z\n# public key: age1q7rvtz3mlw9kpx2cnbys5hfjp8dge3uaki6outwxyzm1qr4vbnt7kwzkq\nAGE-SECRET-" +
        "KEY-1Q7RVTZ3MLW9KPX2CNYS5HFJP8DGE3UAK6UTWXYZMQR4VNT7KWZKQ3VRZ8L",
      values: ["AGE-SECRET-" + "KEY-1Q7RVTZ3MLW9KPX2CNYS5HFJP8DGE3UAK6UTWXYZMQR4VNT7KWZKQ3VRZ8L"],
    },
    {
      kind: "vendor-dd",
      text: "DD_API_KEY=8d2b4f6a0c1e3957b8d0f2a4c6e81357\nDD_SITE=datadoghq.eu",
      values: ["8d2b4f6a0c1e3957b8d0f2a4c6e81357"],
    },
    {
      kind: "vendor-cf",
      text: 'CLOUDFLARE_API_TOKEN: "Zt5WvN0pYb8HcJd3GfSe6UaTi9OuR7kXq2Lm-x_Q"\nCLOUDFLARE_ACCOUNT_ID: "acc"',
      values: ["Zt5WvN0pYb8HcJd3GfSe6UaTi9OuR7kXq2Lm-x_Q"],
    },
  ],
  nearMisses: [
    {
      kind: "code",
      text: 'const password: string = req.body.password;\nif (!password) throw new Error("password is required");\nconst hash = await bcrypt.hash(password, 12);',
    },
    {
      kind: "code",
      text: "interface LoginRequest {\n  username: string;\n  password: string;\n  rememberMe?: boolean;\n  token: string | null;\n}",
    },
    {
      kind: "code",
      text: 'const token = await getToken(user);\nconst secret = readSecret("db/main");\nconst pass = crypto.randomBytes(16).toString("hex");',
    },
    {
      kind: "code",
      text: 'password = os.environ["DB_PASSWORD"]\nsecret_key = os.getenv("SECRET_KEY")\ntoken = settings.API_TOKEN',
    },
    {
      kind: "code",
      text: "def login(self, username: str, password: str, token: Optional[str] = None) -> bool:\n    return self.check_password(user, password)",
    },
    {
      kind: "code",
      text: 'db.Password = config.password\ncfg.Token = viper.GetString("github.token")\nopts.Secret = args.secret',
    },
    {
      kind: "code",
      text: "password: process.env.DB_PASSWORD,\napiKey: process.env.OPENAI_API_KEY!,\nsecret: import.meta.env.VITE_SECRET,",
    },
    {
      kind: "code",
      text: 'String password = System.getenv("DB_PASSWORD");\nchar[] pw = console.readPassword("Password: ");\nthis.passwordEncoder = passwordEncoder;',
    },
    {
      kind: "code",
      text: "$password = $_POST['password'];\n$hash = password_hash($password, PASSWORD_DEFAULT);\nif (!password_verify($password, $user['password'])) {",
    },
    {
      kind: "code",
      text: "'password' => 'required|string|min:8|confirmed',\n'current_password' => 'required|current_password',",
    },
    {
      kind: "code",
      text: "const schema = z.object({\n  email: z.string().email(),\n  password: z.string().min(12).max(128),\n  token: z.string().optional(),\n});",
    },
    {
      kind: "code",
      text: 'pub struct Credentials { pub username: String, pub password: SecretString, pub token: Option<String> }\nlet password = rpassword::prompt_password("Password: ")?;',
    },
    {
      kind: "code",
      text: 'func (c *Client) SetPassword(password string) error {\n\tc.password = password\n\tc.token = ""\n\treturn nil\n}',
    },
    {
      kind: "code",
      text: "validates :password, presence: true, length: { minimum: 8 }\nhas_secure_password\nfilter_parameters += [:password, :secret, :token]",
    },
    { kind: "code", text: 'password = None\ntoken = null;\nsecret = undefined;\npasswd = ""\npass = nil' },
    {
      kind: "code",
      text: 'const { password, ...safeUser } = user;\nconst pass = ref(false);\nconst [password, setPassword] = useState("");',
    },
    {
      kind: "code",
      text: "public string Password { get; set; } = string.Empty;\npublic SecureString Secret => _secret;",
    },
    {
      kind: "code",
      text: 'token := lexer.NextToken()\nif token.Type == token.IDENT && token.Literal == "let" {\n\tp.expectPeek(token.ASSIGN)\n}',
    },
    {
      kind: "code",
      text: '<input type="password" name="password" placeholder="Password" autocomplete="current-password" required>',
    },
    {
      kind: "code",
      text: '<TextField label="Password" type={showPassword ? "text" : "password"} value={password} onChange={e => setPassword(e.target.value)} />',
    },
    {
      kind: "code",
      text: 'password = getpass.getpass(prompt="Database password: ")\npassphrase = input("Passphrase: ").strip()',
    },
    {
      kind: "code",
      text: 'for (const key of Object.keys(map)) { const value = map[key]; cache.set(key, value); }\nif (key === "Enter") submit();',
    },
    {
      kind: "code",
      text: 'const isPublicKey = key.startsWith("-----BEGIN PUBLIC KEY-----");\nconst looksLikePassword = /pass(word|wd)?/i.test(name);',
    },
    {
      kind: "code",
      text: "static const struct option opts[] = {\n\t{ \"password\", required_argument, NULL, 'p' },\n\t{ \"token\", required_argument, NULL, 't' },\n};",
    },
    {
      kind: "code",
      text: "enum TokenKind { Identifier = 1, StringLiteral = 2, Keyword = 3, EndOfFile = 4 }\nlet token: TokenKind = TokenKind.Identifier;",
    },
    { kind: "envref", text: "DB_PASSWORD=${DB_PASSWORD}\nAPI_TOKEN=$API_TOKEN\nSECRET_KEY=${SECRET_KEY:?must be set}" },
    {
      kind: "envref",
      text: 'mysql -u "$DB_USER" --password="$DB_PASSWORD" "$DB_NAME" < dump.sql\ncurl -H "Authorization: Bearer $TOKEN" "$URL"\ncurl -u "$USER:$PASS" https://nexus.example.net',
    },
    {
      kind: "envref",
      text: "password: ${{ secrets.DEPLOY_PASSWORD }}\ngithub-token: ${{ secrets.GITHUB_TOKEN }}\nnpm-token: ${{ inputs.npm_token }}",
    },
    {
      kind: "envref",
      text: "ansible_become_pass: \"{{ vault_become_pass }}\"\nmysql_root_password: \"{{ lookup('env', 'MYSQL_ROOT_PASSWORD') }}\"",
    },
    { kind: "envref", text: 'password: {{ .Values.auth.password | quote }}\ntoken: {{ include "app.token" . }}' },
    {
      kind: "envref",
      text: "password = var.db_password\nsecret_string = random_password.db.result\ntoken = data.aws_eks_cluster_auth.main.token",
    },
    { kind: "envref", text: "spring.datasource.password=${DB_PASSWORD}\njwt.secret=@jwt.secret@" },
    {
      kind: "envref",
      text: '<password>${env.NEXUS_PASSWORD}</password>\n<property name="password" value="${db.password}"/>',
    },
    {
      kind: "envref",
      text: 'postgres://${DB_USER}:${DB_PASS}@${DB_HOST}:5432/${DB_NAME}\nconst url = `redis://:${password}@${host}:${port}`;\ndsn = f"mysql://{user}:{password}@{host}/{db}"',
    },
    {
      kind: "envref",
      text: '$env:DB_PASSWORD\necho %DB_PASSWORD%\nset -gx TOKEN (pass show github/token)\nexport TOKEN="$(op read op://work/github/token)"',
    },
    { kind: "placeholder", text: 'DB_PASSWORD=<your-password>\nAPI_KEY=your-api-key-here\nSECRET_KEY=\nTOKEN=""' },
    { kind: "placeholder", text: "password: ********\ntoken: ****\nsecret: [REDACTED]\napi_key: xxxxxxxxxxxxxxxx" },
    { kind: "placeholder", text: '{"username": "YOUR_USERNAME", "password": "YOUR_PASSWORD", "token": "<token>"}' },
    {
      kind: "placeholder",
      text: "mysql://user:***@db1:3306/shop\nhttps://<user>:<password>@git.example.net/app.git\npostgresql://USER:PASSWORD@HOST:5432/DATABASE",
    },
    {
      kind: "placeholder",
      text: "Authorization: Bearer <token>\nAuthorization: Basic <base64 of user:password>\nX-Api-Key: {apiKey}",
    },
    {
      kind: "placeholder",
      text:
        "STRIPE_SECRET_KEY=sk_test_...\nOPENAI_API_KEY=sk-...\nGITHUB_TOKEN=gh" +
        "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    },
    { kind: "placeholder", text: "+ password = (sensitive value)\n+ token    = (known after apply)" },
    {
      kind: "docs",
      text: "## Password policy\nA password must have at least 12 characters. Passwords are hashed with Argon2id; the salt is stored next to the hash.",
    },
    {
      kind: "docs",
      text: 'To reset your password, open Settings > Account and choose "Change password". A token is sent by mail and expires after 15 minutes.',
    },
    {
      kind: "docs",
      text: "The password is stored in the system keychain. The token is refreshed automatically. The secret is never logged.",
    },
    {
      kind: "docs",
      text: "| Option       | Type    | Default | Description                     |\n|--------------|---------|---------|---------------------------------|\n| `password`   | string  | none    | Password used for the database  |\n| `token`      | string  | none    | Access token, see Authentication |",
    },
    {
      kind: "docs",
      text: "Passwort vergessen? Geben Sie Ihre E-Mail-Adresse ein. Das Passwort muss mindestens acht Zeichen lang sein.",
    },
    { kind: "docs", text: "Mot de passe oublié ? Le mot de passe doit contenir au moins huit caractères." },
    { kind: "docs", text: "La contraseña debe tener al menos ocho caracteres. ¿Olvidaste tu contraseña?" },
    { kind: "docs", text: "密码不能为空。请输入密码。忘记密码?\nパスワードを入力してください。" },
    {
      kind: "docs",
      text: "@param password the password to check\n@param token    the CSRF token from the form\n@returns true if the password is correct",
    },
    {
      kind: "docs",
      text: "password (optional): The password for the user. Required if `username` is set.\nsecret (str): Name of the secret to read.\ntoken: A personal access token with `repo` scope.",
    },
    {
      kind: "i18n",
      text: '{\n  "login.password": "Password",\n  "login.password.placeholder": "Enter your password",\n  "login.forgot_password": "Forgot your password?",\n  "errors.password_mismatch": "Passwords do not match"\n}',
    },
    {
      kind: "i18n",
      text: "de:\n  password: Passwort\n  password_confirmation: Passwort bestätigen\n  forgot_password: Passwort vergessen?",
    },
    {
      kind: "i18n",
      text: '"password": "Mot de passe",\n"new_password": "Nouveau mot de passe",\n"secret": "Phrase secrète"',
    },
    {
      kind: "i18n",
      text: 'msgid "Password"\nmsgstr "Kennwort"\n\nmsgid "Invalid username or password."\nmsgstr "Ungültiger Benutzername oder falsches Kennwort."',
    },
    {
      kind: "error",
      text: "FATAL: password authentication failed for user \"app\"\nERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)",
    },
    {
      kind: "error",
      text: "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON\nSyntaxError: Unexpected token } in JSON at position 412",
    },
    {
      kind: "error",
      text: "sudo: a password is required\nsudo: 3 incorrect password attempts\n[sudo] password for kim: ",
    },
    { kind: "error", text: "Permission denied (publickey,password).\nkim@web1's password: " },
    {
      kind: "error",
      text: '401 Unauthorized: token expired\n403 Forbidden: token does not have scope "write:packages"\nError: secret "db-credentials" not found',
    },
    { kind: "error", text: "KeyError: 'password'\nTypeError: Cannot read properties of undefined (reading 'token')" },
    {
      kind: "tokens",
      text: "usage: input_tokens=18234 output_tokens=912 cache_read_input_tokens=15000 total_tokens=34146\nmax_tokens: 4096",
    },
    {
      kind: "tokens",
      text: '{"usage":{"prompt_tokens":812,"completion_tokens":97,"total_tokens":909},"max_tokens":1024,"token_limit":200000}',
    },
    {
      kind: "tokens",
      text: 'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")\ntokens = tokenizer.tokenize(text)\npad_token = "[PAD]"\neos_token: "<|endoftext|>"',
    },
    { kind: "tokens", text: '{"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token_id": 0}' },
    {
      kind: "tokens",
      text: ":root {\n  --token-color-primary: #3366ff;\n  --ds-token-space-100: 8px;\n  --color-text-secondary: var(--token-gray-700);\n}",
    },
    {
      kind: "tokens",
      text: 'export const tokens = { color: { primary: "#1a73e8", danger: "crimson" }, radius: { small: "4px" } };',
    },
    {
      kind: "hash",
      text: "commit 9f2c4e7a1b3d5f60827394a5b6c7d8e9f0a1b2c3\nAuthor: Kim <kim@example.com>\n    Rotate keys and drop the legacy token endpoint",
    },
    {
      kind: "hash",
      text: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  app.tar.gz\nd41d8cd98f00b204e9800998ecf8427e  empty.txt",
    },
    {
      kind: "hash",
      text: '"integrity": "sha512-9Kq3vRz8LmWx5NpTbYs5HfJp8dGe3UaKi6OuTwXyZMtR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZMA==",\n"resolved": "https://registry.npmjs.org/jsonwebtoken/-/jsonwebtoken-9.0.2.tgz"',
    },
    {
      kind: "hash",
      text: "github.com/golang-jwt/jwt/v5 v5.2.1 h1:Kq3vRz8LmWx5NpTbYs5HfJp8dGe3UaKi6OuTwXyZM0c=\ngithub.com/golang-jwt/jwt/v5 v5.2.1/go.mod h1:tR4kW9zQm2Lx7VbN0cYs5HfJp8dGe3UaKi6OuTwXyZM=",
    },
    {
      kind: "hash",
      text: '[[package]]\nname = "secrecy"\nversion = "0.8.0"\nchecksum = "9bd1c54ea06cfd2f6b63219704de0b9b4f72dcc2b8fdef820be6cd799780e91e"',
    },
    {
      kind: "hash",
      text: "image: postgres@sha256:4f9d0b8a7e6c5d3f2a1b0c9e8d7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f\ndigest: sha256:8d2b4f6a0c1e3957b8d0f2a4c6e8135790abcdef1234567890abcdef12345678",
    },
    {
      kind: "uuid",
      text: "request_id=7c1d9e52-40ab-4f6e-9b3d-2a8f5e0c6d14 user_id=17 trace=4bf92f3577b34da6a3ce929d0e0e4736",
    },
    {
      kind: "uuid",
      text: '"id": "0f8fad5b-d9cb-469f-a165-70867728950e",\n"etag": "W/\\"33a64df551425fcc55e4d42a148795d9f25f89d4\\""',
    },
    {
      kind: "public",
      text: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG1HiRb3NCbYvHtVs3RxizkfknykHYd7uGpoqLo5PBfJ kim@laptop",
    },
    {
      kind: "public",
      text: "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQm9yaW5nQ2VydGlmaWNhdGUwCgYIKoZIzj0EAwIwDzEN\nMAsGA1UEAwwEdGVzdDAeFw0yNDAxMDEwMDAwMDBaFw0zNDAxMDEwMDAwMDBaMA8x\n-----END CERTIFICATE-----",
    },
    {
      kind: "public",
      text: "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n6e8Tus9uPHvRVEXxIAUzukt1Jr2MDpYtTAt4v0zj8GsDlHKFFuVDiGaGFg==\n-----END PUBLIC KEY-----",
    },
    {
      kind: "sqlschema",
      text: "CREATE TABLE users (\n  id BIGSERIAL PRIMARY KEY,\n  email TEXT NOT NULL UNIQUE,\n  password VARCHAR(255) NOT NULL,\n  reset_token CHAR(64) NULL\n);",
    },
    {
      kind: "sqlschema",
      text: "SELECT id, password FROM users WHERE token = $1;\nUPDATE users SET password = ? WHERE id = ?;\nALTER TABLE users DROP COLUMN password_digest;",
    },
    {
      kind: "sqlschema",
      text: 't.string "password_digest", null: false\nt.string "reset_password_token"\nt.index ["reset_password_token"], name: "index_users_on_reset_password_token", unique: true',
    },
    {
      kind: "clihelp",
      text: "  -p, --password[=name]  Password to use when connecting to server. If password is\n                      not given it's asked from the tty.\n  --token string      bearer token for authentication to the API server",
    },
    {
      kind: "clihelp",
      text: "Usage: app login [OPTIONS]\n  --username TEXT       User name\n  --password TEXT       Password (prompted if omitted)\n  --password-stdin      Take the password from stdin",
    },
    {
      kind: "clihelp",
      text: "      --passphrase-file FILE   read the passphrase from FILE\n      --secret-name NAME       name of the Kubernetes secret\n$ docker login --username ci --password-stdin registry.example.net",
    },
    {
      kind: "names",
      text: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/shop/db-AbCdEf\narn:aws:iam::123456789012:role/secret-reader",
    },
    {
      kind: "names",
      text: "env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db-credentials\n      key: password",
    },
    {
      kind: "names",
      text: "NAME              TYPE                DATA   AGE\ndb-credentials    Opaque              2      41d\nshop-tls          kubernetes.io/tls   2      120d",
    },
    {
      kind: "names",
      text: "envFrom:\n- secretRef:\n    name: api-secrets\nimagePullSecrets:\n- name: regcred\nsecretName: shop-tls",
    },
    {
      kind: "names",
      text: "existingSecret: db-credentials\nexistingSecretPasswordKey: postgres-password\nsecret: db-credentials\npasswordSecretRef: db-credentials",
    },
    {
      kind: "names",
      text: "secrets:\n  db_password:\n    file: ./secrets/db_password.txt\nenvironment:\n  POSTGRES_PASSWORD_FILE: /run/secrets/db_password",
    },
    {
      kind: "tests",
      text: 'it("rejects a wrong password", async () => {\n  await expect(login(user, wrongPassword)).rejects.toThrow(/password/);\n});',
    },
    {
      kind: "tests",
      text: "PASS src/auth/password.test.ts\n  ✓ hashes the password (41 ms)\n  ✓ refuses an expired token (3 ms)\nTests: 14 passed, 14 total",
    },
    {
      kind: "tests",
      text: "--- PASS: TestTokenRefresh (0.02s)\n=== RUN   TestPasswordReset\nok  \texample.com/app/auth\t0.412s",
    },
    {
      kind: "prose",
      text: "The secret to a good pass is timing; the key is to keep your head up and not to give the ball away as a token gesture.",
    },
    {
      kind: "prose",
      text: "Pass the key to the function, not the value. The second pass: remove dead code. The third pass is optional.",
    },
    {
      kind: "prose",
      text: "I forgot the password again, so I asked Anna for a new token. She will pass it on tomorrow.",
    },
    {
      kind: "prose",
      text: "Can you add a password field to the form and make the token expire after one hour? The secret should come from the vault.",
    },
    { kind: "prose", text: "Das Passwort steht im Tresor. Bitte schreib das Token nicht in den Code." },
    {
      kind: "paths",
      text: "src/auth/password.ts\nsrc/tokens/refresh-token.service.ts\nconfig/secrets.yml.enc\n~/.ssh/id_ed25519.pub\n/etc/passwd",
    },
    {
      kind: "paths",
      text: "$ ls -la secrets/\n-rw------- 1 kim kim   44 May  3 10:12 db_password.txt\n-rw------- 1 kim kim 1679 May  3 10:12 tls.key",
    },
    {
      kind: "commit",
      text: "fix(auth): compare password hashes in constant time\nfeat(token): rotate refresh token on use (#412)\nchore: remove secret from log output",
    },
    {
      kind: "changelog",
      text: "### Security\n- Password reset token is now single use\n- `--password` is deprecated, use `--password-stdin`\n- Secret scanning: ignore fixtures",
    },
    {
      kind: "todo",
      text: "- [ ] Password: minimum length 12\n- [x] Token: refresh before expiry\n- [ ] Secret: move to vault\n- TODO: hash password before saving",
    },
    {
      kind: "regex",
      text: 'const PASSWORD_RE = /(?:password|passwd|pwd)\\s*[:=]\\s*["\']?([^\\s"\']+)/i;\ntoken_re = re.compile(r"gh[pousr]_[A-Za-z0-9]{36}")',
    },
    {
      kind: "regex",
      text: "grep -rniE \"(password|secret|token)\\s*=\" src/ | grep -v test\nrg 'password\\s*[:=]' --type yaml",
    },
    {
      kind: "linter",
      text: "src/db.py:14:12: S105 Possible hardcoded password assigned to: \"password\"\nsrc/app.ts:9:7 - error TS6133: 'token' is declared but its value is never read.",
    },
    {
      kind: "linter",
      text: "warning: unused variable: `password`\nerror[E0425]: cannot find value `secret` in this scope",
    },
    {
      kind: "log",
      text: "2024-05-12 09:14:02 INFO  user kim changed password\n2024-05-12 09:14:05 INFO  token refreshed for session 17\n2024-05-12 09:14:09 WARN  password check failed (attempt 2 of 5)",
    },
    {
      kind: "log",
      text: "[INFO] Secret sync: 4 created, 0 updated, 1 deleted\n[INFO] Password rotation: done\n[INFO] Token cache: warm (hit rate 98%)",
    },
    {
      kind: "log",
      text: '==> Vault: sealed=false, token_ttl=768h0m0s, token_policies=["default"]\nKey             Value\n---             -----\ntoken_duration  768h',
    },
    {
      kind: "config",
      text: "password_min_length: 12\npassword_reset_timeout: 3600\ntoken_expiry: 15m\nsecret_rotation_days: 90\nrequire_password: true",
    },
    { kind: "config", text: "PasswordAuthentication no\nPermitEmptyPasswords no\nPubkeyAuthentication yes" },
    {
      kind: "config",
      text: '"passwordPolicy": { "minLength": 12, "requireSymbols": true },\n"tokenEndpoint": "https://auth.example.net/oauth/token",\n"token_type": "Bearer"',
    },
  ],
};
