// Everyday developer texts with made-up credentials, and near-misses. The filter is tuned on these.
import type { Corpus } from "../measure-corpus.ts";

export const CORPUS: Corpus = {
  secrets: [
    { kind: "wordy-config", text: "password: letmein-please", values: ["letmein-please"] },
    {
      kind: "wordy-config",
      text: "DB_HOST=10.2.0.14\nDB_USER=wiki\nDB_PASSWORD=sunflower-garage\nDB_NAME=wiki",
      values: ["sunflower-garage"],
    },
    {
      kind: "wordy-config",
      text: "[smtp]\nhost = mail.internal.norvik.se\nuser = alerts\npasswd = hunter",
      values: ["hunter"],
    },
    { kind: "wordy-config", text: "pass: butterscotch", values: ["butterscotch"] },
    { kind: "wordy-config", text: "pw=tiramisu", values: ["tiramisu"] },
    { kind: "wordy-config", text: "pwd: manchester-united", values: ["manchester-united"] },
    {
      kind: "wordy-config",
      text: "secret = correct horse battery staple tonight",
      values: ["correct horse battery staple tonight"],
    },
    { kind: "wordy-config", text: 'passphrase: "my dog eats blue socks"', values: ["my dog eats blue socks"] },
    {
      kind: "wordy-config",
      text: "$ cat ~/.config/backup/restic.conf\nrepository=/mnt/nas/restic\npassphrase=the-quiet-otter-sleeps\ncompression=auto",
      values: ["the-quiet-otter-sleeps"],
    },
    { kind: "wordy-config", text: "admin_password=iloveyou", values: ["iloveyou"] },
    { kind: "wordy-config", text: "token: elderberry-wine", values: ["elderberry-wine"] },
    { kind: "wordy-config", text: '{"username":"root","password":"qwertyuiop"}', values: ["qwertyuiop"] },
    { kind: "wordy-config", text: '{"user":"marta","pass":"Barcelona"}', values: ["Barcelona"] },
    { kind: "wordy-config", text: '  "adminPassword": "trustnoone",', values: ["trustnoone"] },
    { kind: "symbol-start", text: "password=!Sommerregen", values: ["!Sommerregen"] },
    { kind: "symbol-start", text: "DB_PASS=@lphaCentauri", values: ["@lphaCentauri"] },
    { kind: "symbol-start", text: 'password: "#Kingfisher77"', values: ["#Kingfisher77"] },
    { kind: "symbol-start", text: "MYSQL_ROOT_PASSWORD='$ilverSpoon'", values: ["$ilverSpoon"] },
    { kind: "symbol-start", text: "passwd=%Tango-Delta%9", values: ["%Tango-Delta%9"] },
    { kind: "symbol-start", text: "password: '*Moonwalk*84'", values: ["*Moonwalk*84"] },
    { kind: "symbol-start", text: "secret=&Walnut&Pecan", values: ["&Walnut&Pecan"] },
    { kind: "symbol-start", text: "pwd=(Ostrava1993)", values: ["(Ostrava1993)"] },
    { kind: "symbol-start", text: "Password = <Krakow>Lublin5", values: ["<Krakow>Lublin5"] },
    { kind: "symbol-start", text: "spring.datasource.password=!!Rhabarber!!", values: ["!!Rhabarber!!"] },
    { kind: "symbol-start", text: '"password": "{Zebra}crossing",', values: ["{Zebra}crossing"] },
    { kind: "symbol-start", text: "password=$$money$$", values: ["$$money$$"] },
    { kind: "member-like", text: "password = ab1.Cd2efGh", values: ["ab1.Cd2efGh"] },
    { kind: "member-like", text: "token: q7.Lm4vRt", values: ["q7.Lm4vRt"] },
    { kind: "member-like", text: "DB_PASSWORD=Paris.Texas1984", values: ["Paris.Texas1984"] },
    { kind: "member-like", text: "secret: tom.and.jerry.forever", values: ["tom.and.jerry.forever"] },
    { kind: "member-like", text: "POSTGRES_PASSWORD=kR3.tN8(wq)", values: ["kR3.tN8(wq)"] },
    { kind: "member-like", text: "password: process.Oak.77", values: ["process.Oak.77"] },
    { kind: "member-like", text: "login.password=R2D2.C3PO[bb8]", values: ["R2D2.C3PO[bb8]"] },
    {
      kind: "next-argument",
      text: "$ mysql -h db3 -u reporting --password Wintermantel reports < dump.sql",
      values: ["Wintermantel"],
    },
    {
      kind: "next-argument",
      text: '"args": ["--user", "backup", "--password", "olivetree-lane", "--host", "10.0.0.7"]',
      values: ["olivetree-lane"],
    },
    {
      kind: "next-argument",
      text: 'command: ["redis-cli", "-a", "Gr8-Cached-Thing", "ping"]',
      values: ["Gr8-Cached-Thing"],
    },
    {
      kind: "next-argument",
      text: "java -Djavax.net.ssl.keyStorePassword=keystoregarden -Xmx2g -jar app.jar",
      values: ["keystoregarden"],
    },
    {
      kind: "next-argument",
      text: "mvn deploy -Drepo.username=ci -Drepo.password=blue.Heron12 -DskipTests",
      values: ["blue.Heron12"],
    },
    {
      kind: "next-argument",
      text: "$ ./sync.sh --token pineapple-upside-down --dry-run",
      values: ["pineapple-upside-down"],
    },
    {
      kind: "next-argument",
      text: 'subprocess.run(["mysqldump", "-uroot", "-pTr0mbone!", "shop"], check=True)',
      values: ["Tr0mbone!"],
    },
    { kind: "next-argument", text: "mysql -uroot -pgeheimrat -e 'show databases'", values: ["geheimrat"] },
    {
      kind: "next-argument",
      text: 'CMD ["./server", "--admin-password", "Lindenstrasse", "--port", "8080"]',
      values: ["Lindenstrasse"],
    },
    {
      kind: "next-argument",
      text: "spawnSync('psql-wrapper', ['--user', 'app', '--password', 'Violin$olo', '--db', 'app'])",
      values: ["Violin$olo"],
    },
    {
      kind: "next-argument",
      text: "./keycloak/bin/kcadm.sh config credentials --server http://localhost:8080 --realm master --user admin --password dragonfly",
      values: ["dragonfly"],
    },
    {
      kind: "next-argument",
      text: '$ az login --service-principal -u 0b5f5a0e-6a5c-4a3d-9c55-4d0e1b7e7b11 -p "kT9~vQw2.Lx_8mRzPq4~hJn6bD1sYc3Wf" --tenant 72f0aa11-86f1-41af-91ab-2d7cd011db47',
      values: ["kT9~vQw2.Lx_8mRzPq4~hJn6bD1sYc3Wf"],
    },
    {
      kind: "next-argument",
      text: "$ mongosh --host mongo1 -u admin -p 'Käsekuchen 4ever' --authenticationDatabase admin",
      values: ["Käsekuchen 4ever"],
    },
    {
      kind: "next-argument",
      text: "argv: [ 'node', 'cli.js', '--secret', 'rain-on-tin-roof', '--verbose' ]",
      values: ["rain-on-tin-roof"],
    },
    {
      kind: "next-argument",
      text: "- --storage.password\n- Hummingbird-Feeder\n- --storage.user\n- grafana",
      values: ["Hummingbird-Feeder"],
    },
    {
      kind: "line-continuation",
      text: "docker run -d \\\n  -e POSTGRES_USER=app \\\n  -e POSTGRES_PASSWORD=Zimtstern \\\n  postgres:16",
      values: ["Zimtstern"],
    },
    {
      kind: "line-continuation",
      text: "mysqldump --host db1 \\\n  --user root \\\n  --password \\\n    marzipan-Torte \\\n  shop > shop.sql",
      values: ["marzipan-Torte"],
    },
    {
      kind: "line-continuation",
      text: 'Invoke-Thing -User svc `\n  -Password `\n  "Quartz-Hammer-9" `\n  -Server sql01',
      values: ["Quartz-Hammer-9"],
    },
    {
      kind: "line-continuation",
      text: 'curl -sS https://git.norvik.se/api/v4/projects \\\n  --header \\\n  "PRIVATE-TOKEN: Wb7nXo3kQvE9sLrT2mYh"',
      values: ["Wb7nXo3kQvE9sLrT2mYh"],
    },
    {
      kind: "line-continuation",
      text: "export API_SECRET=\\\nFjord4-lantern-meadow",
      values: ["Fjord4-lantern-meadow"],
    },
    {
      kind: "yaml-block",
      text: "admin:\n  user: root\n  password: |\n    Kettle-On-The-Hob\n  port: 5432",
      values: ["Kettle-On-The-Hob"],
    },
    {
      kind: "yaml-block",
      text: "smtp:\n  password: >-\n    marmalade sandwich\n    under the hat\n  host: smtp.norvik.se",
      values: ["marmalade sandwich", "under the hat"],
    },
    {
      kind: "yaml-block",
      text: "client_secret: |-\n  vR8qLw2ZtN5xKc7YbH3mJf9DsGp4\nredirect_uri: https://portal.norvik.se/cb",
      values: ["vR8qLw2ZtN5xKc7YbH3mJf9DsGp4"],
    },
    {
      kind: "yaml-block",
      text: "    12\t  db_password: |\n    13\t    Oatmeal-Porridge\n    14\t  db_user: app",
      values: ["Oatmeal-Porridge"],
    },
    {
      kind: "yaml-block",
      text: "+  grafana_admin_password: >\n+    swordfish-tango\n+  grafana_port: 3000",
      values: ["swordfish-tango"],
    },
    { kind: "yaml-block", text: "password:\n  s3cretGardenGate\nusername: jo", values: ["s3cretGardenGate"] },
    {
      kind: "yaml-block",
      text: "users:\n  - name: ines\n    password: &pw Lissabon-Tram28\n  - name: rui\n    password: *pw",
      values: ["Lissabon-Tram28"],
    },
    { kind: "yaml-block", text: "auth: {user: deploy, password: copperkettle, realm: ci}", values: ["copperkettle"] },
    { kind: "yaml-block", text: '"password" : !!str 90210Beverly', values: ["90210Beverly"] },
    {
      kind: "php-define",
      text: "define('DB_NAME', 'wp_blog');\ndefine('DB_USER', 'wp');\ndefine('DB_PASSWORD', 'Pfannkuchen');\ndefine('DB_HOST', 'localhost');",
      values: ["Pfannkuchen"],
    },
    {
      kind: "php-define",
      text: 'define( "AUTH_KEY",         "t`DK%X:>xy|e-Z(BXb/f(Ur`8#~UzUQG" );',
      values: ["t`DK%X:>xy|e-Z(BXb/f(Ur`8#~UzUQG"],
    },
    { kind: "php-define", text: "define('SMTP_PASS','a\\'Brien-Rd44');", values: ["a\\'Brien-Rd44"] },
    { kind: "php-define", text: "$config['db']['password'] = 'Mozzarella';", values: ["Mozzarella"] },
    {
      kind: "php-define",
      text: "'mysql' => [\n    'host'     => env('DB_HOST', '127.0.0.1'),\n    'username' => 'forge',\n    'password' => 'nightingale-sq',\n],",
      values: ["nightingale-sq"],
    },
    {
      kind: "php-define",
      text: "$pdo = new PDO('mysql:host=db;dbname=shop', 'shop', 'Teekesselchen5');",
      values: ["Teekesselchen5"],
    },
    { kind: "php-define", text: '$dbPassword = "cr4nberry\\$auce";', values: ["cr4nberry\\$auce"] },
    {
      kind: "table",
      text: "| Service  | User   | Password        |\n|----------|--------|-----------------|\n| Grafana  | admin  | Buntspecht      |\n| Jenkins  | ci     | crane-and-hoist |",
      values: ["Buntspecht", "crane-and-hoist"],
    },
    {
      kind: "table",
      text: "+----+--------+-----------------+\n| id | login  | passwd          |\n+----+--------+-----------------+\n|  1 | petra  | Apfelwein2019   |\n|  2 | jonas  | rosenrot        |\n+----+--------+-----------------+\n2 rows in set (0.00 sec)",
      values: ["Apfelwein2019", "rosenrot"],
    },
    {
      kind: "table",
      text: " name  |            api_token             \n-------+----------------------------------\n loki  | 7fHq2mXv9LkT4bNw8ZrYc3JsDpGe1AtU\n(1 row)",
      values: ["7fHq2mXv9LkT4bNw8ZrYc3JsDpGe1AtU"],
    },
    {
      kind: "table",
      text: "┌─────────┬─────────┬────────────────┐\n│ (index) │ user    │ password       │\n├─────────┼─────────┼────────────────┤\n│    0    │ 'lena'  │ 'Frühlingsduft'│\n└─────────┴─────────┴────────────────┘",
      values: ["Frühlingsduft"],
    },
    {
      kind: "table",
      text: "Environment | URL | Login\n--- | --- | ---\nstaging | https://stage.norvik.se | qa / password: pumpernickel",
      values: ["pumpernickel"],
    },
    {
      kind: "table",
      text: "| Setting | Value |\n|---|---|\n| SMTP host | smtp.norvik.se |\n| SMTP password | `Honigmelone!` |",
      values: ["Honigmelone!"],
    },
    {
      kind: "table",
      text: "*************************** 1. row ***************************\n      id: 4\n   email: karin@norvik.se\npassword: Schneeglöckchen\n created: 2024-03-02",
      values: ["Schneeglöckchen"],
    },
    {
      kind: "csv",
      text: "username,password,role\nanika,tangerine-dream,admin\nboris,Wolga-Wolga,viewer",
      values: ["tangerine-dream", "Wolga-Wolga"],
    },
    {
      kind: "csv",
      text: '"email","first","secret"\n"olaf@norvik.se","Olaf","reindeer, sleigh"',
      values: ["reindeer, sleigh"],
    },
    {
      kind: "csv",
      text: "host\tuser\tpw\tnote\nnas1\tadmin\tGartenzwerg\tcellar\nnas2\tadmin\tkLm!90-rot\toffice",
      values: ["Gartenzwerg", "kLm!90-rot"],
    },
    {
      kind: "csv",
      text: "name;url;username;password\nRouter;http://192.168.1.1;admin;Blumenkohl",
      values: ["Blumenkohl"],
    },
    {
      kind: "csv",
      text: 'url,username,password,httpRealm,formActionOrigin\n"https://shop.norvik.se","eva@norvik.se","L0ng-Way-Home",,"https://shop.norvik.se"',
      values: ["L0ng-Way-Home"],
    },
    {
      kind: "csv",
      text:
        "User name,Password,Access key ID,Secret access key,Console login link\ndeploy-bot,,AK" +
        "IAHQ2UDWTCXPUT4S2F,AzAlpAJSYxErdoz2n1Sy9cKJ0KvclGNgnOVNkuQK,https://418273645091.signin.aws.amazon.com/console",
      values: ["AzAlpAJSYxErdoz2n1Sy9cKJ0KvclGNgnOVNkuQK"],
    },
    { kind: "html", text: '<input type="password" name="password" value="Sternschnuppe">', values: ["Sternschnuppe"] },
    {
      kind: "html",
      text: '<input id="pw" class="form-control" value=\'cobblestone\' type=password autocomplete="off"/>',
      values: ["cobblestone"],
    },
    {
      kind: "html",
      text: '<input type="hidden" name="csrf_token" value="9pVnXq4Rt7LzWc2KmYbH5sJd8FgE1uAo">',
      values: ["9pVnXq4Rt7LzWc2KmYbH5sJd8FgE1uAo"],
    },
    {
      kind: "html",
      text: '<input type="hidden" value="hK2vQ8xNw5TzRb7YcLm3" name="api_key">',
      values: ["hK2vQ8xNw5TzRb7YcLm3"],
    },
    {
      kind: "html",
      text: '<meta name="csrf-token" content="Zq8XwN4vLt6RbKy2MhCj7sPd3GfE9uTa==" />',
      values: ["Zq8XwN4vLt6RbKy2MhCj7sPd3GfE9uTa=="],
    },
    { kind: "html", text: "<tr><th>Password</th><td>Lavendelfeld</td></tr>", values: ["Lavendelfeld"] },
    {
      kind: "html",
      text: "<p>Your temporary password is <b>Mango-Lassi-42</b>. Please change it after login.</p>",
      values: ["Mango-Lassi-42"],
    },
    {
      kind: "xml",
      text: "<server>\n  <id>nexus</id>\n  <username>deployer</username>\n  <password>Goldregen</password>\n</server>",
      values: ["Goldregen"],
    },
    {
      kind: "xml",
      text: '<Resource name="jdbc/shop" auth="Container" type="javax.sql.DataSource" username="shop" password="tin&amp;drum" url="jdbc:postgresql://db/shop"/>',
      values: ["tin&amp;drum"],
    },
    { kind: "xml", text: '<add key="SmtpPassword" value="Regenbogen7" />', values: ["Regenbogen7"] },
    {
      kind: "xml",
      text: '<property name="hibernate.connection.password">windmill-hill</property>',
      values: ["windmill-hill"],
    },
    { kind: "xml", text: '<property name="password" value="Schlüsselbund"/>', values: ["Schlüsselbund"] },
    {
      kind: "xml",
      text: '<packageSourceCredentials>\n  <norvik>\n    <add key="Username" value="ci" />\n    <add key="ClearTextPassword" value="Oktoberfest" />\n  </norvik>\n</packageSourceCredentials>',
      values: ["Oktoberfest"],
    },
    {
      kind: "xml",
      text: '<wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">Kaiserschmarrn</wsse:Password>',
      values: ["Kaiserschmarrn"],
    },
    { kind: "xml", text: "<password><![CDATA[<Ab&Cd>Efg]]></password>", values: ["<Ab&Cd>Efg"] },
    { kind: "xml", text: "<key>AdminPassword</key>\n<string>garden-hose-reel</string>", values: ["garden-hose-reel"] },
    { kind: "ini", text: '[database]\nuser=app\npassword="Drehorgel" ; rotated in May', values: ["Drehorgel"] },
    { kind: "ini", text: "[client]\nuser = root\npassword = flowerpot#12", values: ["flowerpot#12"] },
    {
      kind: "ini",
      text:
        "[default]\naws_access_key_id = AK" +
        "IAEXKA4PK7MN2QNMGK\naws_secret_access_key = AEda/Y2PBszSJLAuHo8Nt/gVKCkTLcckqJts7ZkI\nregion = eu-north-1",
      values: ["AEda/Y2PBszSJLAuHo8Nt/gVKCkTLcckqJts7ZkI"],
    },
    {
      kind: "ini",
      text:
        "[py" + "pi-internal]\nrepository: https://pypi.norvik.se/simple\nusername: uploader\npassword: Butterblume",
      values: ["Butterblume"],
    },
    {
      kind: "toml",
      text: '[registry]\nindex = "https://crates.norvik.se/index"\ntoken = "Xn4vTq9LwR2zKb7Y"',
      values: ["Xn4vTq9LwR2zKb7Y"],
    },
    {
      kind: "toml",
      text: "[database]\npassword = '''Tausend Sterne'''\nmax_connections = 20",
      values: ["Tausend Sterne"],
    },
    {
      kind: "toml",
      text: 'users = [{ name = "kai", password = "surfboard" }, { name = "ute", password = "Bergziege" }]',
      values: ["surfboard", "Bergziege"],
    },
    {
      kind: "properties",
      text: "spring.datasource.url=jdbc:postgresql://db:5432/shop\nspring.datasource.username=shop\nspring.datasource.password=Nussknacker",
      values: ["Nussknacker"],
    },
    { kind: "properties", text: "server.ssl.ke" + "y-store-password : paper-lantern", values: ["paper-lantern"] },
    { kind: "properties", text: "sonar.login=admin\nsonar.password = Ti\\=ger\\:lily", values: ["Ti\\=ger\\:lily"] },
    {
      kind: "properties",
      text: 'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="svc-kafka" password="kafkaesk";',
      values: ["kafkaesk"],
    },
    {
      kind: "properties",
      text: "RELEASE_STORE_PASSWORD=androidschluessel\nRELEASE_KEY_PASSWORD=zweiterSchluessel",
      values: ["androidschluessel", "zweiterSchluessel"],
    },
    {
      kind: "terraform",
      text: 'db_username = "app"\ndb_password = "Heidelbeere"\nregion      = "eu-west-1"',
      values: ["Heidelbeere"],
    },
    {
      kind: "terraform",
      text: 'variable "admin_password" {\n  type    = string\n  default = "Chrysantheme"\n}',
      values: ["Chrysantheme"],
    },
    {
      kind: "terraform",
      text: 'resource "aws_db_instance" "main" {\n  username = "root"\n  password = "tulip$Fields"\n}',
      values: ["tulip$Fields"],
    },
    {
      kind: "terraform",
      text: '$ terraform output\ndb_endpoint = "shop.c9.eu-west-1.rds.amazonaws.com:5432"\ndb_password = "qZ7!kWm2vR"',
      values: ["qZ7!kWm2vR"],
    },
    {
      kind: "terraform",
      text: '{\n  "db_password": {\n    "sensitive": true,\n    "type": "string",\n    "value": "Morgenstern-Tau"\n  }\n}',
      values: ["Morgenstern-Tau"],
    },
    {
      kind: "terraform",
      text: '  ~ resource "random_password" "admin" {\n      ~ result = "uH7#pLq92vXs" -> "Ew4!mTz81kNb"',
      values: ["uH7#pLq92vXs", "Ew4!mTz81kNb"],
    },
    {
      kind: "terraform",
      text: "terraform apply -var 'db_password=Tannenzapfen' -var region=eu-west-1",
      values: ["Tannenzapfen"],
    },
    { kind: "terraform", text: '      + password = "Ringelblume"\n      + username = "svc"', values: ["Ringelblume"] },
    {
      kind: "terraform",
      text: 'secret_string = jsonencode({ username = "app", password = "lighthouse-keeper" })',
      values: ["lighthouse-keeper"],
    },
    {
      kind: "docker",
      text: "services:\n  db:\n    image: mariadb:11\n    environment:\n      MARIADB_ROOT_PASSWORD: pfefferminz\n      MARIADB_DATABASE: shop",
      values: ["pfefferminz"],
    },
    {
      kind: "docker",
      text: "    environment:\n      - RABBITMQ_DEFAULT_USER=guest1\n      - RABBITMQ_DEFAULT_PASS=hasenbrot",
      values: ["hasenbrot"],
    },
    {
      kind: "docker",
      text: "FROM node:22\nENV NODE_ENV=production\nENV SESSION_SECRET keyboard-catnap",
      values: ["keyboard-catnap"],
    },
    { kind: "docker", text: "ARG NEXUS_PASSWORD=Streuselkuchen\nRUN ./fetch.sh", values: ["Streuselkuchen"] },
    { kind: "docker", text: "docker login registry.norvik.se -u ci -p Himbeereis", values: ["Himbeereis"] },
    {
      kind: "docker",
      text: "echo 'Vanillekipferl' | docker login --username ci --password-stdin registry.norvik.se",
      values: ["Vanillekipferl"],
    },
    {
      kind: "docker",
      text: '{\n  "auths": {\n    "registry.norvik.se": {\n      "auth": "Y2k6SGltYmVlcmVpczk5"\n    }\n  }\n}',
      values: ["Y2k6SGltYmVlcmVpczk5"],
    },
    {
      kind: "docker",
      text: '            "Env": [\n                "PATH=/usr/local/bin:/usr/bin",\n                "MINIO_ROOT_USER=minio",\n                "MINIO_ROOT_PASSWORD=Seidenraupe",\n                "TZ=UTC"\n            ],',
      values: ["Seidenraupe"],
    },
    { kind: "docker", text: "docker build --build-arg GIT_TOKEN=wk8Rz3LqT7nVx5Yb .", values: ["wk8Rz3LqT7nVx5Yb"] },
    {
      kind: "docker",
      text: 'Step 4/9 : ENV ADMIN_PW "bicycle bell"\n ---> Running in 3f2a9c1b7d60',
      values: ["bicycle bell"],
    },
    {
      kind: "kubernetes",
      text: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  username: YXBw\n  password: U2F1ZXJrcmF1dDc3",
      values: ["U2F1ZXJrcmF1dDc3"],
    },
    {
      kind: "kubernetes",
      text: "kind: Secret\napiVersion: v1\nstringData:\n  connection: Eisvogel-am-Bach",
      values: ["Eisvogel-am-Bach"],
    },
    {
      kind: "kubernetes",
      text: "        env:\n        - name: DB_PASSWORD\n          value: Sonnenblume\n        - name: DB_HOST\n          value: postgres",
      values: ["Sonnenblume"],
    },
    {
      kind: "kubernetes",
      text: '    31\t        - name: REDIS_PASSWORD\n    32\t          value: "clementine"\n    33\t        - name: REDIS_HOST\n    34\t          value: redis',
      values: ["clementine"],
    },
    {
      kind: "kubernetes",
      text: "@@ -20,6 +20,6 @@ spec:\n         - name: JWT_SECRET\n-          value: old-river-bend\n+          value: new-forest-path\n         - name: PORT",
      values: ["old-river-bend", "new-forest-path"],
    },
    {
      kind: "kubernetes",
      text: '{"patch":"{\\"env\\":[{\\"name\\":\\"ADMIN_PASSWORD\\",\\"value\\":\\"Walpurgis\\"},{\\"name\\":\\"PORT\\",\\"value\\":\\"8080\\"}]}"}',
      values: ["Walpurgis"],
    },
    {
      kind: "kubernetes",
      text: '{"name": "SMTP_PASSWORD", "value": "chestnut-roaster"},',
      values: ["chestnut-roaster"],
    },
    { kind: "kubernetes", text: '{"value": "Quittengelee", "name": "MONGO_PASSWORD"}', values: ["Quittengelee"] },
    {
      kind: "kubernetes",
      text: "apiVersion: v1\ndata:\n  tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t\n  tls.key: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk5gKkCN+XHdDQRRt291rSQwJRlJKuy0+NBwvWNBwdaOaiJezXmQxW8pQ0Nin+Dq+nL5uTH48OJlLT2attocLPD97R7exWFsRKLoyk7NFrhtdu2js0ovMw1G+yAaS8lWrPUzy+o7jkJsqT9IZfLw9Iy9SSdLTVlv13SB/rQAU6qQ2NkVe9hwbi\nkind: Secret\ntype: kubernetes.io/tls",
      values: [
        "5gKkCN+XHdDQRRt291rSQwJRlJKuy0+NBwvWNBwdaOaiJezXmQxW8pQ0Nin+Dq+nL5uTH48OJlLT2attocLPD97R7exWFsRKLoyk7NFrhtdu2js0ovMw1G+yAaS8lWrPUzy+o7jkJsqT9IZfLw9Iy9SSdLTVlv13SB/rQAU6qQ2NkVe9hwbi",
      ],
    },
    {
      kind: "kubernetes",
      text: "kubectl create secret generic api --from-literal=token=Siebenschlaefer --from-literal=user=api",
      values: ["Siebenschlaefer"],
    },
    {
      kind: "kubernetes",
      text: "kubectl create secret generic app-creds -n prod --from-literal password='frosted Window'",
      values: ["frosted Window"],
    },
    {
      kind: "kubernetes",
      text: "kubectl create secret docker-registry regcred --docker-server=registry.norvik.se --docker-username=ci --docker-password=Pistazie --docker-email=ci@norvik.se",
      values: ["Pistazie"],
    },
    {
      kind: "kubernetes",
      text:
        "  .dockerconfigjson: ey" +
        "JhdXRocyI6ey" +
        "JyZWdpc3RyeS5ub3J2aWsuc2UiOnsiYXV0aCI6IlkyazZVR2x6ZEdGNmFXVTUifX19",
      values: ["ey" + "JhdXRocyI6ey" + "JyZWdpc3RyeS5ub3J2aWsuc2UiOnsiYXV0aCI6IlkyazZVR2x6ZEdGNmFXVTUifX19"],
    },
    { kind: "kubernetes", text: "kubectl set env deploy/web API_TOKEN=brG7nKx2Wq9LtV4z", values: ["brG7nKx2Wq9LtV4z"] },
    {
      kind: "kubernetes",
      text:
        "users:\n- name: admin\n  user:\n    token: ey" +
        "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
        "JzdWIiOiJ1c3JfOTUzMTc5IiwiaWF0IjoxNzE0NjQ0NjcyfQ.r5ZjJFPjei9uhtfhkJUiGbObf6xk46TAMnRhZ0xn6k6",
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
          "JzdWIiOiJ1c3JfOTUzMTc5IiwiaWF0IjoxNzE0NjQ0NjcyfQ.r5ZjJFPjei9uhtfhkJUiGbObf6xk46TAMnRhZ0xn6k6",
      ],
    },
    {
      kind: "kubernetes",
      text:
        "    client-ke" +
        "y-data: lCIktPQeXgnax0td1TBlcXCOb8/Yj594vC8OcbtXF7xzvvE1GYK6VCyhdwGpme7DgGTq8MqiRHl7p46Wdw6NjGVLoBrZ+8SX7J6v1E7WHkLAhqRRjFjjbvFVFJjd9eGgZbcnmNBoph3XiKX1yvBnGaAomZWmuVq4P/s3Sg7fO0zt4+hcDwCvjwofM6DnphLaKG0UDKhp",
      values: [
        "lCIktPQeXgnax0td1TBlcXCOb8/Yj594vC8OcbtXF7xzvvE1GYK6VCyhdwGpme7DgGTq8MqiRHl7p46Wdw6NjGVLoBrZ+8SX7J6v1E7WHkLAhqRRjFjjbvFVFJjd9eGgZbcnmNBoph3XiKX1yvBnGaAomZWmuVq4P/s3Sg7fO0zt4+hcDwCvjwofM6DnphLaKG0UDKhp",
      ],
    },
    {
      kind: "kubernetes",
      text: "    Environment:\n      KEYCLOAK_ADMIN:           admin\n      KEYCLOAK_ADMIN_PASSWORD:  Spätzle-mit-Soße\n      KC_DB:                    postgres",
      values: ["Spätzle-mit-Soße"],
    },
    {
      kind: "helm",
      text: "helm upgrade --install pg bitnami/postgresql --set auth.postgresPassword=Schnittlauch --set primary.persistence.size=8Gi",
      values: ["Schnittlauch"],
    },
    {
      kind: "helm",
      text: "helm install web ./chart --set-string secrets.apiToken=moon-over-harbour,replicas=2",
      values: ["moon-over-harbour"],
    },
    {
      kind: "helm",
      text: "USER-SUPPLIED VALUES:\nauth:\n  rootPassword: Krokodil\n  username: shop",
      values: ["Krokodil"],
    },
    {
      kind: "ansi-nbsp",
      text: "\u001b[36mDB_PASSWORD\u001b[0m=\u001b[33mSchmetterling\u001b[0m",
      values: ["Schmetterling"],
    },
    {
      kind: "ansi-nbsp",
      text: "\u001b[1mpassword\u001b[22m: \u001b[32m'Glockenblume'\u001b[39m",
      values: ["Glockenblume"],
    },
    { kind: "ansi-nbsp", text: "password = Abendrot", values: ["Abendrot"] },
    { kind: "ansi-nbsp", text: "Passwort : Kuckucksuhr", values: ["Kuckucksuhr"] },
    {
      kind: "ansi-nbsp",
      text: '\u001b[90m{\u001b[0m \u001b[34m"token"\u001b[0m: \u001b[32m"Lk8vQz3RtX7nWb5Y"\u001b[0m \u001b[90m}\u001b[0m',
      values: ["Lk8vQz3RtX7nWb5Y"],
    },
    {
      kind: "ansi-nbsp",
      text: "\u001b[31m-API_SECRET=teapot-whistle\u001b[m\n\u001b[32m+\u001b[m\u001b[32mAPI_SECRET=copper-bathtub\u001b[m",
      values: ["teapot-whistle", "copper-bathtub"],
    },
    {
      kind: "aws-secret-store",
      text: '{\n    "ARN": "arn:aws:secretsmanager:eu-west-1:418273645091:secret:prod/db-Ab12Cd",\n    "Name": "prod/db",\n    "VersionId": "5c7e2b7a-9a55-4c0f-9b9d-1f3b0c6c2f10",\n    "SecretString": "{\\"username\\":\\"app\\",\\"password\\":\\"Pusteblume\\"}",\n    "VersionStages": ["AWSCURRENT"]\n}',
      values: ["Pusteblume"],
    },
    {
      kind: "aws-secret-store",
      text: '{"Name":"prod/stripe-hook","SecretString":"velvet-curtain-rod","CreatedDate":"2024-05-02T10:11:12Z"}',
      values: ["velvet-curtain-rod"],
    },
    {
      kind: "aws-secret-store",
      text: '{\n    "Parameter": {\n        "Name": "/prod/shop/db_password",\n        "Type": "SecureString",\n        "Value": "Leuchtturm",\n        "Version": 3\n    }\n}',
      values: ["Leuchtturm"],
    },
    {
      kind: "aws-secret-store",
      text: 'aws ssm put-parameter --name /prod/api/token --type SecureString --value "harvest-moon-soup" --overwrite',
      values: ["harvest-moon-soup"],
    },
    {
      kind: "aws-secret-store",
      text: "aws secretsmanager create-secret --name prod/mail --secret-string 'Bratapfel-Zimt'",
      values: ["Bratapfel-Zimt"],
    },
    {
      kind: "aws-secret-store",
      text: "$ gcloud secrets versions access latest --secret=mail-password\nWindbeutel-Express",
      values: ["Windbeutel-Express"],
    },
    {
      kind: "aws-secret-store",
      text: "$ az keyvault secret show --vault-name kv1 --name sql-admin-password --query value -o tsv\nDonau!Dampfschiff",
      values: ["Donau!Dampfschiff"],
    },
    {
      kind: "aws-secret-store",
      text:
        '{"Credentials":{"AccessKeyId":"AS' +
        'IAX3SVX7XLLLAHD4CN","SecretAccessKey":"E9V4ssqudpAwRGWdsY43fdn49s75WKrQAyPUzoHZ","SessionToken":"IQoJb3JpZ2luX2VjEQ4T6NdghczzMh1rn8nwh9bjZo+36KiD+YUhKQfFHFVjZf7PYv3YISOkLw7Kx+gNwct6RWdYNoSr5YTb51BDwGjwHOTFIxikWy9f8TEkKIei2sJIGN1wPMswDlsF9/0p61LsBFEfjJr37rEgQv/FeEfYrf7XBikIXxr9t5ZBUk1oq/R0qoq0h05ukED+kU6aUVEplXivZkIfJ/oInTKjiDPEt8Umy","Expiration":"2024-06-01T12:00:00Z"}}',
      values: [
        "E9V4ssqudpAwRGWdsY43fdn49s75WKrQAyPUzoHZ",
        "Q4T6NdghczzMh1rn8nwh9bjZo+36KiD+YUhKQfFHFVjZf7PYv3YISOkLw7Kx+gNwct6RWdYNoSr5YTb51BDwGjwHOTFIxikWy9f8TEkKIei2sJIGN1wPMswDlsF9/0p61LsBFEfjJr37rEgQv/FeEfYrf7XBikIXxr9t5ZBUk1oq/R0qoq0h05ukED+kU6aUVEplXivZkIfJ/oInTKjiDPEt8Umy",
      ],
    },
    {
      kind: "jwk",
      text: '{"kty":"EC","crv":"P-256","x":"VWJjRJeX0QrGdxde-yYOCIbrsVGFespH1qXyHchkw2K","y":"Gu4vmiMZaROdHfd5JI4HWco5Vc0AMrPlEMeO1PK3_Kd","d":"K-gaIl56OOGqtOCsTfwQq34g1aIWeRCnqEoPwoJZ_Hp","kid":"sig-1"}',
      values: ["K-gaIl56OOGqtOCsTfwQq34g1aIWeRCnqEoPwoJZ_Hp"],
    },
    {
      kind: "jwk",
      text: '{\n  "kty": "oct",\n  "alg": "HS256",\n  "k": "xFQ6gtR3qk0ZFKMON5-4QsN0agj0C3qJYqx063fP7KI"\n}',
      values: ["xFQ6gtR3qk0ZFKMON5-4QsN0agj0C3qJYqx063fP7KI"],
    },
    {
      kind: "jwk",
      text: '{"kty":"OKP","crv":"Ed25519","d":"2EdbgO6yBM0qDW47Dckw4w0OHONaQpH_gjLyYVifvD2","x":"Rp_QRUsksT-EaRmu4nt9J_kTnxKIji-BXFY4h5HTUlD"}',
      values: ["2EdbgO6yBM0qDW47Dckw4w0OHONaQpH_gjLyYVifvD2"],
    },
    {
      kind: "cookies",
      text: "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n\n.norvik.se\tTRUE\t/\tTRUE\t1767225600\tsessionid\t8mq2v7xk4trz9bnw3ylc6hjs5pdg1fea",
      values: ["8mq2v7xk4trz9bnw3ylc6hjs5pdg1fea"],
    },
    {
      kind: "cookies",
      text: "#HttpOnly_portal.norvik.se\tFALSE\t/\tTRUE\t0\tauth_token\tTq7RzX4nLv9KbW2YmHc5",
      values: ["Tq7RzX4nLv9KbW2YmHc5"],
    },
    {
      kind: "cookies",
      text: "< HTTP/1.1 200 OK\n< Set-Cookie: JSESSIONID=4F9C2A7BD1E86350A9C4F7B21D3E6580; Path=/; HttpOnly; Secure",
      values: ["4F9C2A7BD1E86350A9C4F7B21D3E6580"],
    },
    {
      kind: "cookies",
      text: "Cookie: theme=dark; connect.sid=s%3AvW9xLq2RtZ7nKb4YmHc8sJd5PgFe3uAo.Tn6QwXr1; lang=de",
      values: ["vW9xLq2RtZ7nKb4YmHc8sJd5PgFe3uAo.Tn6QwXr1"],
    },
    {
      kind: "cookies",
      text: "curl -b 'PHPSESSID=r7k2m9x4vq8t3zb6n1ylw5chjs' https://shop.norvik.se/cart",
      values: ["r7k2m9x4vq8t3zb6n1ylw5chjs"],
    },
    {
      kind: "cookies",
      text: "'set-cookie': [ 'access_token=Nz5XqV8LtRw3Kb7Y; Max-Age=3600; SameSite=Lax' ],",
      values: ["Nz5XqV8LtRw3Kb7Y"],
    },
    {
      kind: "cookies",
      text: 'document.cookie = "remember_token=K4vXqZ8nTw2LrB6yMh; path=/";',
      values: ["K4vXqZ8nTw2LrB6yMh"],
    },
    {
      kind: "connection-string",
      text: "DATABASE_URL=postgres://app:kaffeeklatsch@db.norvik.se:5432/shop",
      values: ["kaffeeklatsch"],
    },
    {
      kind: "connection-string",
      text: 'DATABASE_URL="postgresql://app:p@ul/Mc\'Cartney@db.norvik.se/shop?sslmode=require"',
      values: ["p@ul/Mc'Cartney"],
    },
    {
      kind: "connection-string",
      text: "mongodb+srv://svc:Haselnuss@cluster0.k3xq.mongodb.net/app?retryWrites=true",
      values: ["Haselnuss"],
    },
    { kind: "connection-string", text: "redis://:Schaukelpferd@cache.norvik.se:6379/0", values: ["Schaukelpferd"] },
    {
      kind: "connection-string",
      text: "CELERY_BROKER_URL = 'amqp://worker:f@st/lane@rabbit:5672//'",
      values: ["f@st/lane"],
    },
    {
      kind: "connection-string",
      text: "smtp://alerts%40norvik.se:Feuerwehr@smtp.norvik.se:587",
      values: ["Feuerwehr"],
    },
    {
      kind: "connection-string",
      text: "jdbc:mysql://db:3306/shop?user=shop&password=Wirbelwind&useSSL=false",
      values: ["Wirbelwind"],
    },
    {
      kind: "connection-string",
      text: "jdbc:sqlserver://sql01:1433;databaseName=crm;user=sa;password={Zauber;Flöte};encrypt=true",
      values: ["Zauber;Flöte"],
    },
    { kind: "connection-string", text: "jdbc:oracle:thin:scott/leopard@//ora1:1521/XEPDB1", values: ["leopard"] },
    {
      kind: "connection-string",
      text: '"DefaultConnection": "Server=sql01;Database=Crm;User Id=crm;Password=Hagebutte;TrustServerCertificate=True"',
      values: ["Hagebutte"],
    },
    {
      kind: "connection-string",
      text: "Driver={ODBC Driver 18 for SQL Server};Server=tcp:crm.database.windows.net,1433;Uid=crm;Pwd=Rote Grütze;Encrypt=yes;",
      values: ["Rote Grütze"],
    },
    {
      kind: "connection-string",
      text: "DefaultEndpointsProtocol=https;AccountName=norvikstore;AccountKey=SjhiKXqEfOD1ZVf+5qTN5c0wsugAooBXhhNdhtxmm4VEZ+UdZYmgX0SKT3q73P36+zD1SYkE5lZWWBDK+v6JE4==;EndpointSuffix=core.windows.net",
      values: ["SjhiKXqEfOD1ZVf+5qTN5c0wsugAooBXhhNdhtxmm4VEZ+UdZYmgX0SKT3q73P36+zD1SYkE5lZWWBDK+v6JE4=="],
    },
    {
      kind: "connection-string",
      text: "Endpoint=sb://norvik.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=JoqR0yM0QXH6qlQ4u9Obfev8cV7EkkEY6fT7VTVmJdu=",
      values: ["JoqR0yM0QXH6qlQ4u9Obfev8cV7EkkEY6fT7VTVmJdu="],
    },
    {
      kind: "connection-string",
      text: "git remote -v\norigin  https://ci-bot:Zuckerwatte@git.norvik.se/team/app.git (fetch)",
      values: ["Zuckerwatte"],
    },
    {
      kind: "connection-string",
      text: 'engine = create_engine("mysql+pymysql://root:100%Baumwolle@127.0.0.1/shop")',
      values: ["100%Baumwolle"],
    },
    {
      kind: "connection-string",
      text: 'dsn := "host=db user=app password=Bernstein dbname=shop port=5432 sslmode=disable"',
      values: ["Bernstein"],
    },
    {
      kind: "connection-string",
      text: 'dsn := "app:Wolkenbruch@tcp(db:3306)/shop?parseTime=true"',
      values: ["Wolkenbruch"],
    },
    {
      kind: "connection-string",
      text: "$ psql \"host=db.norvik.se dbname=shop user=app password='two words'\"",
      values: ["two words"],
    },
    {
      kind: "connection-string",
      text: "Error: connect ECONNREFUSED ftp://upload:Pe#ch/Tree@ftp.norvik.se:21",
      values: ["Pe#ch/Tree"],
    },
    {
      kind: "connection-string",
      text: "http_proxy=http://jschmidt:Dachrinne!@proxy.norvik.se:3128",
      values: ["Dachrinne!"],
    },
    { kind: "connection-string", text: "sqlplus system/Manticore@//ora1:1521/XE @init.sql", values: ["Manticore"] },
    { kind: "cli-tools", text: "ansible_user=deploy ansible_become_pass=Zwetschge", values: ["Zwetschge"] },
    { kind: "cli-tools", text: "ansible_ssh_pass: Rasenmäher", values: ["Rasenmäher"] },
    {
      kind: "cli-tools",
      text: 'ansible-playbook site.yml -e "ansible_become_password=Hollywood-Schaukel"',
      values: ["Hollywood-Schaukel"],
    },
    {
      kind: "cli-tools",
      text: "bind 127.0.0.1\nrequirepass Fliederbusch\nmasterauth Jasmin-tee",
      values: ["Fliederbusch", "Jasmin-tee"],
    },
    { kind: "cli-tools", text: "127.0.0.1:6379> AUTH Gänseblümchen\nOK", values: ["Gänseblümchen"] },
    {
      kind: "cli-tools",
      text: "redis-cli -h cache -a Tulpenzwiebel --no-auth-warning info",
      values: ["Tulpenzwiebel"],
    },
    { kind: "cli-tools", text: "127.0.0.1:6379> AUTH default mohnkuchen\nOK", values: ["mohnkuchen"] },
    {
      kind: "cli-tools",
      text: 'network={\n    ssid="Norvik-Guest"\n    psk="fisch-und-chips"\n}',
      values: ["fisch-und-chips"],
    },
    { kind: "cli-tools", text: "[wifi-security]\nke" + "y-mgmt=wpa-psk\npsk=Bienenstock", values: ["Bienenstock"] },
    { kind: "cli-tools", text: "nmcli device wifi connect Norvik5G password Waldmeister", values: ["Waldmeister"] },
    { kind: "cli-tools", text: "net use Z: \\\\nas1\\share Kartoffel /user:NORVIK\\jschmidt", values: ["Kartoffel"] },
    { kind: "cli-tools", text: "net user backup Steckrübe9 /add", values: ["Steckrübe9"] },
    { kind: "cli-tools", text: "unzip -P rhubarb-pie export.zip -d out/", values: ["rhubarb-pie"] },
    { kind: "cli-tools", text: "7z x -pSchokolade backup.7z", values: ["Schokolade"] },
    { kind: "cli-tools", text: "zip -r -P 'Gummi bär' logs.zip logs/", values: ["Gummi bär"] },
    {
      kind: "cli-tools",
      text: 'gpg --batch --yes --passphrase "winter is long here" -d vault.gpg',
      values: ["winter is long here"],
    },
    { kind: "cli-tools", text: "sshpass -p Lakritze ssh root@10.0.0.3 uptime", values: ["Lakritze"] },
    {
      kind: "cli-tools",
      text: "SSHPASS='Brombeere!' sshpass -e scp dump.sql root@10.0.0.3:/tmp",
      values: ["Brombeere!"],
    },
    {
      kind: "cli-tools",
      text: "curl -u deploy:Preiselbeere https://nexus.norvik.se/service/rest/v1/status",
      values: ["Preiselbeere"],
    },
    {
      kind: "cli-tools",
      text: 'curl --user "jan@norvik.se:white rabbit" -X PUT https://dav.norvik.se/f.txt',
      values: ["white rabbit"],
    },
    {
      kind: "cli-tools",
      text: "wget --http-user=jan --http-password=Nordlicht https://dl.norvik.se/a.tgz",
      values: ["Nordlicht"],
    },
    {
      kind: "cli-tools",
      text: "heroku config:set SESSION_SECRET=lemon-tree-avenue MAIL_FROM=ops@norvik.se -a shop",
      values: ["lemon-tree-avenue"],
    },
    {
      kind: "cli-tools",
      text: 'gh secret set DEPLOY_PASSWORD --body "Seepferdchen" --repo norvik/app',
      values: ["Seepferdchen"],
    },
    { kind: "cli-tools", text: "gh secret set SOME_THING -b trampolin-garten", values: ["trampolin-garten"] },
    { kind: "cli-tools", text: "vault kv put secret/shop/db username=app password=Laubfrosch", values: ["Laubfrosch"] },
    {
      kind: "cli-tools",
      text: "vault login -method=userpass username=ines password=Pastel-de-nata",
      values: ["Pastel-de-nata"],
    },
    { kind: "cli-tools", text: "fly secrets set COOKIE_SECRET=amber-waves-of PORT=8080", values: ["amber-waves-of"] },
    {
      kind: "cli-tools",
      text: 'echo "stormy-petrel" | npx wrangler secret put AUTH_SECRET',
      values: ["stormy-petrel"],
    },
    { kind: "cli-tools", text: "htpasswd -b -c /etc/nginx/.htpasswd monika Blaumeise", values: ["Blaumeise"] },
    { kind: "cli-tools", text: "openssl pkcs12 -in cert.p12 -passin pass:Eichhorn -nodes", values: ["Eichhorn"] },
    {
      kind: "cli-tools",
      text: "openssl enc -aes-256-cbc -pbkdf2 -k Murmeltier -in a -out a.enc",
      values: ["Murmeltier"],
    },
    { kind: "cli-tools", text: 'echo "deploy:Holzwurm" | sudo chpasswd', values: ["Holzwurm"] },
    { kind: "cli-tools", text: "echo Katzenklo | sudo -S systemctl restart nginx", values: ["Katzenklo"] },
    { kind: "cli-tools", text: "printf 'Regentonne\\nRegentonne\\n' | passwd deploy", values: ["Regentonne"] },
    {
      kind: "cli-tools",
      text: "keytool -genkey -alias app -keystore k.jks -storepass umbrella -keypass raincoat",
      values: ["umbrella", "raincoat"],
    },
    { kind: "cli-tools", text: "smbclient //nas1/share -U 'jschmidt%Fahrrad' -c ls", values: ["Fahrrad"] },
    {
      kind: "cli-tools",
      text: "mount -t cifs //nas1/share /mnt -o username=jan,password=Zahnrad,vers=3.0",
      values: ["Zahnrad"],
    },
    {
      kind: "cli-tools",
      text: 'ldapsearch -x -D "cn=admin,dc=norvik,dc=se" -w Sellerie -b dc=norvik,dc=se',
      values: ["Sellerie"],
    },
    { kind: "cli-tools", text: "PGPASSWORD=Kresse psql -h db -U app -c 'select 1'", values: ["Kresse"] },
    { kind: "cli-tools", text: "MYSQL_PWD=petersilie mysql -u root", values: ["petersilie"] },
    {
      kind: "cli-tools",
      text: "npm config set //npm.norvik.se/:_authToken Rw7XqZ4nTv9LkB2y",
      values: ["Rw7XqZ4nTv9LkB2y"],
    },
    { kind: "cli-tools", text: "//npm.norvik.se/:_password=RGlsbGd1cmtlODg=", values: ["RGlsbGd1cmtlODg="] },
    { kind: "cli-tools", text: "ssh-keygen -t ed25519 -N 'Tintenfisch' -f id_deploy", values: ["Tintenfisch"] },
    { kind: "cli-tools", text: "pulumi config set --secret dbPassword Maulbeere", values: ["Maulbeere"] },
    { kind: "cli-tools", text: 'doppler secrets set STRIPE_HOOK="owl-in-the-barn"', values: ["owl-in-the-barn"] },
    { kind: "cli-tools", text: "xfreerdp /v:win01 /u:Administrator /p:Fenster!Bank", values: ["Fenster!Bank"] },
    { kind: "cli-tools", text: 'rclone obscure "Bohneneintopf"', values: ["Bohneneintopf"] },
    { kind: "cli-tools", text: "$ pass show norvik/router\nSaturnringe\nlogin: admin", values: ["Saturnringe"] },
    {
      kind: "cli-tools",
      text: "Password for user app: \n$ export PGPASSFILE=; psql  # entered: Stachelbeere\npostgres password: Stachelbeere",
      values: ["Stachelbeere"],
    },
    { kind: "sql", text: "CREATE USER 'shop'@'%' IDENTIFIED BY 'Quetschkommode';", values: ["Quetschkommode"] },
    {
      kind: "sql",
      text: "CREATE USER shop IDENTIFIED WITH mysql_native_password BY 'Ziehharmonika';",
      values: ["Ziehharmonika"],
    },
    { kind: "sql", text: "ALTER ROLE app WITH LOGIN PASSWORD 'Mundharmonika';", values: ["Mundharmonika"] },
    { kind: "sql", text: "create role reporting login encrypted password 'panflöte';", values: ["panflöte"] },
    { kind: "sql", text: "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('Triangel');", values: ["Triangel"] },
    {
      kind: "sql",
      text: "CREATE LOGIN crm WITH PASSWORD = N'Klarinette#1', CHECK_POLICY = OFF;",
      values: ["Klarinette#1"],
    },
    {
      kind: "sql",
      text: "INSERT INTO users (email, password) VALUES ('eva@norvik.se', 'Oboenspieler');",
      values: ["Oboenspieler"],
    },
    { kind: "sql", text: "UPDATE accounts SET password='Fagott' WHERE id=3;", values: ["Fagott"] },
    {
      kind: "sql",
      text: "docker exec -it pg psql -U postgres -c \"ALTER USER app PASSWORD 'it''s-raining'\"",
      values: ["it''s-raining"],
    },
    {
      kind: "sql",
      text: "CREATE USER MAPPING FOR app SERVER crm OPTIONS (user 'crm', password 'Posaune');",
      values: ["Posaune"],
    },
    {
      kind: "sql",
      text: "GRANT ALL ON shop.* TO 'shop'@'localhost' IDENTIFIED BY \"Xylophon!\";",
      values: ["Xylophon!"],
    },
    { kind: "dotfiles", text: "machine git.norvik.se\n  login ci\n  password Kieselstein", values: ["Kieselstein"] },
    {
      kind: "dotfiles",
      text: "machine api.heroku.com login ops@norvik.se password 6f0c3e1a-2b7d-4c58-9e41-7a5d8b3f2c90",
      values: ["6f0c3e1a-2b7d-4c58-9e41-7a5d8b3f2c90"],
    },
    {
      kind: "dotfiles",
      text: "$ cat ~/.pgpass\ndb.norvik.se:5432:shop:app:Granatapfel\n*:*:*:postgres:col\\:umbus",
      values: ["Granatapfel", "col\\:umbus"],
    },
    {
      kind: "dotfiles",
      text: "$ cat .htpasswd\nmonika:$apr1$k7Xq2vRt$wZ9LnB4yMhC6sJd8PgFe1.",
      values: ["$apr1$k7Xq2vRt$wZ9LnB4yMhC6sJd8PgFe1."],
    },
    {
      kind: "dotfiles",
      text: "$ cat ~/.git-credentials\nhttps://jan:Wb5nXq8vTz3LkR7y@git.norvik.se",
      values: ["Wb5nXq8vTz3LkR7y"],
    },
    { kind: "dotfiles", text: "$ cat ~/.my.cnf\n[client]\nuser=root\npassword=Mangold", values: ["Mangold"] },
    {
      kind: "dotfiles",
      text: "$ cat /etc/samba/creds\nusername=jan\npassword=Fernglas\ndomain=NORVIK",
      values: ["Fernglas"],
    },
    {
      kind: "dotfiles",
      text: "$ sudo tail -1 /etc/shadow\ndeploy:$6$rT7vXq2L$KFViI9v8aOvYn30s0i/pZMAmWelC3Yr70Omq65Rjd/GPTmIaB5DAhSusQomPl4zwZ66Igj0IYfbxJPWeNIEaQm:19801:0:99999:7:::",
      values: ["KFViI9v8aOvYn30s0i/pZMAmWelC3Yr70Omq65Rjd/GPTmIaB5DAhSusQomPl4zwZ66Igj0IYfbxJPWeNIEaQm"],
    },
    {
      kind: "dotfiles",
      text: "defaults\nauth on\nhost smtp.norvik.se\nuser alerts\npassword Kohlrabi",
      values: ["Kohlrabi"],
    },
    { kind: "shell-export", text: "export DB_PASSWORD=Leberkäse", values: ["Leberkäse"] },
    { kind: "shell-export", text: 'export ADMIN_PASS="drei Haselnüsse"', values: ["drei Haselnüsse"] },
    { kind: "shell-export", text: "export SECRET_KEY='mirror mirror'; ./run.sh", values: ["mirror mirror"] },
    { kind: "shell-export", text: "set -x API_TOKEN kL8vXq3RtZ6nWb4Y", values: ["kL8vXq3RtZ6nWb4Y"] },
    { kind: "shell-export", text: 'declare -x VAULT_PASSPHRASE="snow on cedar"', values: ["snow on cedar"] },
    { kind: "shell-export", text: "+ DB_PASS=Wurzelgemüse\n+ ./migrate.sh", values: ["Wurzelgemüse"] },
    { kind: "shell-export", text: 'setx DEPLOY_PASSWORD "Bahnhof Zoo"', values: ["Bahnhof Zoo"] },
    { kind: "shell-export", text: "APP_PASSWORD=$'tab\\tlegume' ./start", values: ["tab\\tlegume"] },
    { kind: "shell-export", text: "DB_PASSWORD=${DB_PASSWORD:-Erdmännchen}", values: ["Erdmännchen"] },
    { kind: "powershell", text: '$env:SQL_PASSWORD = "Kastanie"', values: ["Kastanie"] },
    {
      kind: "powershell",
      text: "$sec = ConvertTo-SecureString 'Ahornsirup' -AsPlainText -Force",
      values: ["Ahornsirup"],
    },
    {
      kind: "powershell",
      text: '$sec = ConvertTo-SecureString -String "Pappel Allee" -AsPlainText -Force',
      values: ["Pappel Allee"],
    },
    {
      kind: "powershell",
      text: '$cred = New-Object System.Net.NetworkCredential("jan", "Birkenrinde", "NORVIK")',
      values: ["Birkenrinde"],
    },
    {
      kind: "powershell",
      text: "Connect-Thing -Credential admin -Password 'Espenlaub' -Server sql01",
      values: ["Espenlaub"],
    },
    {
      kind: "source-code",
      text: 'DATABASES = {\n    "default": {\n        "ENGINE": "django.db.backends.postgresql",\n        "USER": "shop",\n        "PASSWORD": "Zitronenfalter",\n    }\n}',
      values: ["Zitronenfalter"],
    },
    {
      kind: "source-code",
      text: 'conn = psycopg2.connect(host="db", user="app", password="Pfingstrose", dbname="shop")',
      values: ["Pfingstrose"],
    },
    { kind: "source-code", text: 'password = "Maiglöckchen"  # TODO move to vault', values: ["Maiglöckchen"] },
    {
      kind: "source-code",
      text: "SECRET_KEY = 'django-insecure-m4#x!q7^vt2@zr9&kb5*yw8(lc3)'",
      values: ["m4#x!q7^vt2@zr9&kb5*yw8(lc3)"],
    },
    {
      kind: "source-code",
      text: 'app.config["JWT_SECRET_KEY"] = "lazy sunday afternoon"',
      values: ["lazy sunday afternoon"],
    },
    { kind: "source-code", text: 'self.password: str = "Rittersporn"', values: ["Rittersporn"] },
    {
      kind: "source-code",
      text: 'def connect(host, user="root", password="Goldlack"):\n    ...',
      values: ["Goldlack"],
    },
    { kind: "source-code", text: 'if password == "Eisenhut!":\n    grant_admin()', values: ["Eisenhut!"] },
    {
      kind: "source-code",
      text: "const client = new Client({ user: 'app', password: 'Vergissmeinnicht', host: 'db' });",
      values: ["Vergissmeinnicht"],
    },
    { kind: "source-code", text: "const apiToken = `Qv7XzR4nTk9LwB2yMh`;", values: ["Qv7XzR4nTk9LwB2yMh"] },
    {
      kind: "source-code",
      text: "app.use(session({ secret: 'keyboard dog', resave: false }));",
      values: ["keyboard dog"],
    },
    { kind: "source-code", text: "  token: process.env.TOKEN || 'Hv8XqZ3nRt6LkW4y',", values: ["Hv8XqZ3nRt6LkW4y"] },
    { kind: "source-code", text: "await page.fill('#password', 'Hortensie');", values: ["Hortensie"] },
    {
      kind: "source-code",
      text: 'await page.type(\'input[name="password"]\', "Pelargonie!");',
      values: ["Pelargonie!"],
    },
    { kind: "source-code", text: "cy.get('input[type=password]').type('Kornblume{enter}')", values: ["Kornblume"] },
    {
      kind: "source-code",
      text: "const token = jwt.sign({ sub: id }, 'ocean-liner-brass', { expiresIn: '1h' });",
      values: ["ocean-liner-brass"],
    },
    { kind: "source-code", text: 'private static final String DB_PASSWORD = "Akelei";', values: ["Akelei"] },
    {
      kind: "source-code",
      text: 'DriverManager.getConnection("jdbc:mysql://db/shop", "shop", "Löwenzahn");',
      values: ["Löwenzahn"],
    },
    { kind: "source-code", text: 'config.setPassword("Schafgarbe");', values: ["Schafgarbe"] },
    { kind: "source-code", text: '@Value("${db.password:Beifuss}")\nprivate String dbPassword;', values: ["Beifuss"] },
    {
      kind: "source-code",
      text: 'cfg := Config{\n\tUser:     "app",\n\tPassword: "Wegerich",\n\tAddr:     "db:3306",\n}',
      values: ["Wegerich"],
    },
    {
      kind: "source-code",
      text: 'const apiSecret = "kettle-drum-roll"\nclient := pay.New(apiSecret)',
      values: ["kettle-drum-roll"],
    },
    { kind: "source-code", text: 'req.SetBasicAuth("svc", "Huflattich")', values: ["Huflattich"] },
    {
      kind: "source-code",
      text: 'rdb := redis.NewClient(&redis.Options{Addr: "cache:6379", Password: "Brennnessel", DB: 0})',
      values: ["Brennnessel"],
    },
    {
      kind: "source-code",
      text: "ActiveRecord::Base.establish_connection(adapter: 'mysql2', username: 'app', password: 'Salbei')",
      values: ["Salbei"],
    },
    {
      kind: "source-code",
      text: 'config.secret_key_base = "4874583889a205596d132d6e1067bca97a9abc1967d9f485f729c3892504f5847b60e7fac40d911243b782654747a6df487fb09523b5a6b5a40ff2c3a11810b4"',
      values: [
        "4874583889a205596d132d6e1067bca97a9abc1967d9f485f729c3892504f5847b60e7fac40d911243b782654747a6df487fb09523b5a6b5a40ff2c3a11810b4",
      ],
    },
    { kind: "source-code", text: ':password => "Thymian",', values: ["Thymian"] },
    { kind: "source-code", text: 'http.basicAuth = Credentials.basic("jan", "Majoran")', values: ["Majoran"] },
    { kind: "source-code", text: 'requests.get(url, auth=("jan", "Estragon"))', values: ["Estragon"] },
    { kind: "source-code", text: "requests.get(url, auth=HTTPBasicAuth('svc', 'Rosmarin'))", values: ["Rosmarin"] },
    { kind: "source-code", text: 'let password = String::from("Basilikum");', values: ["Basilikum"] },
    { kind: "source-code", text: 'var passwd = []byte("Kümmel")', values: ["Kümmel"] },
    { kind: "source-code", text: "os.environ['REDIS_PASSWORD'] = 'Koriander'", values: ["Koriander"] },
    {
      kind: "source-code",
      text: 'process.env.ENCRYPTION_PASSPHRASE = "north by north-west";',
      values: ["north by north-west"],
    },
    { kind: "source-code", text: '#define WIFI_PASSWORD "Liebstöckel"', values: ["Liebstöckel"] },
    {
      kind: "source-code",
      text: 'const char* password = "Bärlauch";\nWiFi.begin(ssid, password);',
      values: ["Bärlauch"],
    },
    { kind: "source-code", text: 'val keystorePassword = "Kerbel" // release', values: ["Kerbel"] },
    {
      kind: "source-code",
      text: "storePassword 'Oregano'\nkeyPassword 'Curry-wurst'",
      values: ["Oregano", "Curry-wurst"],
    },
    {
      kind: "source-code",
      text: 'authenticationManager.authenticate(new UsernamePasswordAuthenticationToken("admin", "Kardamom"));',
      values: ["Kardamom"],
    },
    {
      kind: "source-code",
      text: "export const credentials = {\n  username: 'qa',\n  'password': 'Muskatnuss',\n} as const;",
      values: ["Muskatnuss"],
    },
    {
      kind: "source-code",
      text: 'password = (\n    "Sternanis-"\n    "und-Zimt"\n)',
      values: ["Sternanis-", "und-Zimt"],
    },
    { kind: "source-code", text: "login(username='admin', pwd=r'Nelken\\gewürz')", values: ["Nelken\\gewürz"] },
    {
      kind: "source-code",
      text: '    <TextField label="Password" defaultValue="Wacholder" type="password" />',
      values: ["Wacholder"],
    },
    {
      kind: "logs",
      text: "    console.log\n      { id: 4, email: 'eva@norvik.se', password: 'Pimpernelle' }\n\n      at Object.<anonymous> (src/user.test.ts:14:13)",
      values: ["Pimpernelle"],
    },
    {
      kind: "logs",
      text: "E       AssertionError: assert {'password': 'Lorbeerblatt', 'user': 'eva'} == {'user': 'eva'}",
      values: ["Lorbeerblatt"],
    },
    {
      kind: "logs",
      text: "E       assert 'Paprikapulver' == 'Chilischote'\nE        +  where 'Paprikapulver' = User(name='eva', password='Paprikapulver').password",
      values: ["Paprikapulver"],
    },
    {
      kind: "logs",
      text: "2024-05-02 10:11:12 DEBUG c.n.auth - login User{id=7, name=eva, password=Safranfaden, active=true}",
      values: ["Safranfaden"],
    },
    { kind: "logs", text: "Credentials(username=svc, password=Vanilleschote, realm=null)", values: ["Vanilleschote"] },
    {
      kind: "logs",
      text: '#<User id: 3, email: "eva@norvik.se", password: "Ingwer-knolle", admin: false>',
      values: ["Ingwer-knolle"],
    },
    {
      kind: "logs",
      text: 'Parameters: {"authenticity_token"=>"kV8XqZ3nRt6LkW4yMh==", "user"=>{"email"=>"eva@norvik.se", "password"=>"Kurkuma"}}',
      values: ["kV8XqZ3nRt6LkW4yMh==", "Kurkuma"],
    },
    { kind: "logs", text: "<Config host='db' user='app' password='Zitronengras'>", values: ["Zitronengras"] },
    { kind: "logs", text: "&{User:app Password:Galgant Addr:db:3306}", values: ["Galgant"] },
    { kind: "logs", text: 'main.Config{User:"app", Password:"Bockshornklee", Port:3306}', values: ["Bockshornklee"] },
    { kind: "logs", text: 'level=debug msg="dialing" user=app password=Süßholz addr=db:5432', values: ["Süßholz"] },
    {
      kind: "logs",
      text: '-   "password": "Tamarinde",\n+   "password": undefined,\n    "user": "eva",',
      values: ["Tamarinde"],
    },
    {
      kind: "logs",
      text: "[2024-05-02T10:11:12Z] INFO generated initial admin password: Sumach-Gewürz",
      values: ["Sumach-Gewürz"],
    },
    {
      kind: "logs",
      text: "Jenkins initial setup is required. An admin user has been created and a password generated.\nPlease use the following password to proceed to installation:\n\nc4e91f7b2a8d4603b5f7d19e3a6c8024",
      values: ["c4e91f7b2a8d4603b5f7d19e3a6c8024"],
    },
    {
      kind: "logs",
      text: 'array(2) {\n  ["user"]=>\n  string(3) "eva"\n  ["password"]=>\n  string(9) "Anissamen"\n}',
      values: ["Anissamen"],
    },
    { kind: "logs", text: "    [user] => eva\n    [password] => Fenchelhonig", values: ["Fenchelhonig"] },
    {
      kind: "logs",
      text: "To access the server, open http://127.0.0.1:8888/?token=927bf59b9c59b5486ab078f94bd6d62d2ae18c778e8ee486",
      values: ["927bf59b9c59b5486ab078f94bd6d62d2ae18c778e8ee486"],
    },
    {
      kind: "logs",
      text: "May  2 10:11:12 web1 sudo: deploy : COMMAND=/usr/bin/mysql -u root --password=Piment",
      values: ["Piment"],
    },
    {
      kind: "logs",
      text: 'password_hash input: "Wasabi-nuss" -> ok\nlogin attempt user=eva password="Wasabi-nuss" result=ok',
      values: ["Wasabi-nuss"],
    },
    {
      kind: "http",
      text: "curl -d 'username=eva&password=Rucola&remember=1' https://portal.norvik.se/login",
      values: ["Rucola"],
    },
    {
      kind: "http",
      text: 'curl -X POST https://id.norvik.se/oauth/token --data-urlencode grant_type=client_credentials --data-urlencode "client_secret=brass monkey bar"',
      values: ["brass monkey bar"],
    },
    {
      kind: "http",
      text: "grant_type=password&username=eva%40norvik.se&password=Feld%20salat%21&client_id=web",
      values: ["Feld%20salat%21"],
    },
    {
      kind: "http",
      text: "GET /v1/reports?from=2024-01-01&api_key=Tz7XqV4nRk9LwB2yMh HTTP/1.1",
      values: ["Tz7XqV4nRk9LwB2yMh"],
    },
    {
      kind: "http",
      text: "https://portal.norvik.se/reset?uid=44&token=c7k-9f2e1b8d4a60c3f7",
      values: ["c7k-9f2e1b8d4a60c3f7"],
    },
    { kind: "http", text: "Authorization: Bearer Radicchio_7xQv4nRk9LwB2yMh", values: ["Radicchio_7xQv4nRk9LwB2yMh"] },
    { kind: "http", text: "Authorization: Basic ZXZhOkVuZGl2aWUtU2FsYXQ=", values: ["ZXZhOkVuZGl2aWUtU2FsYXQ="] },
    { kind: "http", text: "> X-Api-Key: 4nRk9LwB2yMhTz7XqV", values: ["4nRk9LwB2yMhTz7XqV"] },
    {
      kind: "http",
      text: "  headers: { 'X-Auth-Token': 'chicory-and-coffee', accept: '*/*' }",
      values: ["chicory-and-coffee"],
    },
    {
      kind: "http",
      text: '-H "Authorization: token Yk3RzX8nQv5LtW7bMh" -H "Accept: application/json"',
      values: ["Yk3RzX8nQv5LtW7bMh"],
    },
    { kind: "http", text: "Proxy-Authorization: Basic amFuOk1hbmdvbGQtVGFydGU=", values: ["amFuOk1hbmdvbGQtVGFydGU="] },
    {
      kind: "http",
      text: "X-Vault-Token: hv" + "s.XSiKsqCdv51ked9mDuT2VbS3",
      values: ["hv" + "s.XSiKsqCdv51ked9mDuT2VbS3"],
    },
    {
      kind: "http",
      text: 'Authorization: Digest username="eva", realm="dav", nonce="77f1", response="9b1c7e2f4a8d6035b7f1d29e3c6a8041"',
      values: ["9b1c7e2f4a8d6035b7f1d29e3c6a8041"],
    },
    {
      kind: "http",
      text: "X-Amz-Security-Token: FwoGZXIvYXdzEu/Ma8Ftg/85Ua3tv2f6t/XYw46s8xtomidFrumZ4MoekBRsNeZvbuFzXNhn58iiZfvY5Z6yl4Zg0VSM/TZKw9eXdIXvNHyiT2km/Vr63qtAj7KR2OxJzchrr",
      values: [
        "u/Ma8Ftg/85Ua3tv2f6t/XYw46s8xtomidFrumZ4MoekBRsNeZvbuFzXNhn58iiZfvY5Z6yl4Zg0VSM/TZKw9eXdIXvNHyiT2km/Vr63qtAj7KR2OxJzchrr",
      ],
    },
    {
      kind: "http",
      text: "https://norvik-up.s3.eu-west-1.amazonaws.com/a.zip?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900&X-Amz-Signature=5e68ee3a07c77557b3653f39c977cbc27168ba5e0ceaec5ec394671733eebf4e",
      values: ["5e68ee3a07c77557b3653f39c977cbc27168ba5e0ceaec5ec394671733eebf4e"],
    },
    {
      kind: "http",
      text: "https://norvikstore.blob.core.windows.net/c/a.zip?sv=2022-11-02&se=2026-01-01&sr=b&sp=r&sig=HTvlrWeSKum8EeltdG5DZkgfLVesiSil425gUfvNrTP%3D",
      values: ["HTvlrWeSKum8EeltdG5DZkgfLVesiSil425gUfvNrTP%3D"],
    },
    {
      kind: "http",
      text: "Ocp-Apim-Subscription-Key: 5d2f8a1c9e7b4f06a3d8c1e5b7f90246",
      values: ["5d2f8a1c9e7b4f06a3d8c1e5b7f90246"],
    },
    {
      kind: "http",
      text: '------WebKitFormBoundary7MA4YWxk\nContent-Disposition: form-data; name="password"\n\nSpitzkohl\n------WebKitFormBoundary7MA4YWxk--',
      values: ["Spitzkohl"],
    },
    {
      kind: "http",
      text: "http --form POST portal.norvik.se/login username=eva password=Wirsing",
      values: ["Wirsing"],
    },
    {
      kind: "http",
      text: '{"access_token":"Zk4RtX9nQw7LvB3yMhCs","token_type":"Bearer","expires_in":3600,"refresh_token":"pL6mVx2KqT8nZr5W"}',
      values: ["Zk4RtX9nQw7LvB3yMhCs", "pL6mVx2KqT8nZr5W"],
    },
    {
      kind: "http",
      text: "GET wss://rt.norvik.se/socket?access_token=Bz6XrV3nQk8LtW5yMh&v=2",
      values: ["Bz6XrV3nQk8LtW5yMh"],
    },
    {
      kind: "http",
      text: "SAML callback: https://app.norvik.se/cb?code=Vx7Qk2RzT9nLw4Yb&state=home\nPOST client_secret=turnip-truck",
      values: ["turnip-truck"],
    },
    {
      kind: "json",
      text: '{"query":"mutation($i:LoginInput!){login(input:$i){id}}","variables":{"i":{"email":"eva@norvik.se","password":"Pastinake"}}}',
      values: ["Pastinake"],
    },
    {
      kind: "json",
      text: '{"body":"{\\"user\\":\\"eva\\",\\"password\\":\\"Steckling\\"}","statusCode":200}',
      values: ["Steckling"],
    },
    {
      kind: "json",
      text: '{"a":"{\\"b\\":\\"{\\\\\\"secret\\\\\\":\\\\\\"Topinambur\\\\\\"}\\"}"}',
      values: ["Topinambur"],
    },
    {
      kind: "json",
      text: '{"type":"tool_result","content":"DB_USER=app\\nDB_PASSWORD=Schwarzwurzel\\nDB_PORT=5432\\n"}',
      values: ["Schwarzwurzel"],
    },
    {
      kind: "json",
      text: '{"tool":"bash","input":{"command":"mysql -uroot --password=\'Rote Bete\' -e \\"select 1\\""}}',
      values: ["Rote Bete"],
    },
    { kind: "json", text: '{"key":"password","value":"Artischocke"}', values: ["Artischocke"] },
    {
      kind: "json",
      text: '{"stdout":"machine git.norvik.se\\n  login ci\\n  password Aubergine\\n"}',
      values: ["Aubergine"],
    },
    { kind: "json", text: '{\n  "password"\n    :\n      "Zucchini-Blüte"\n}', values: ["Zucchini-Blüte"] },
    { kind: "json", text: '{"passwords":["Kürbiskern","Melonenschale"]}', values: ["Kürbiskern", "Melonenschale"] },
    { kind: "json", text: '{"password":"\\u0042rokkoli-Suppe"}', values: ["\\u0042rokkoli-Suppe"] },
    {
      kind: "json",
      text: '{"pin":"password","credentials":{"login":"jan","secret":"sour cherry jam"}}',
      values: ["sour cherry jam"],
    },
    {
      kind: "json",
      text: '{"file":{"content":"     7→  password: Blattspinat\\n     8→  user: app\\n"}}',
      values: ["Blattspinat"],
    },
    {
      kind: "json",
      text:
        '{"type":"service_account","project_id":"norvik","private_key_id":"a1","private_key":"--' +
        '---BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgnmbxbxdqPpg0RI5YuVaQ1Z5lulUkWPcwBfMDuf2gSH8tE79UhP\\nU9reEDAJkjaqGY121MOcYe3Z7yks/iCFxBfMFfLWBoqutsxsxrkC5vcyQLRL0xNr\\n-----END PRIVATE KEY-----\\n","client_email":"svc@norvik.iam.gserviceaccount.com"}',
      values: [
        "nmbxbxdqPpg0RI5YuVaQ1Z5lulUkWPcwBfMDuf2gSH8tE79UhP",
        "U9reEDAJkjaqGY121MOcYe3Z7yks/iCFxBfMFfLWBoqutsxsxrkC5vcyQLRL0xNr",
      ],
    },
    {
      kind: "prompt",
      text: "the staging password is Gurkensalat, please check why the login page shows a 500",
      values: ["Gurkensalat"],
    },
    {
      kind: "prompt",
      text: "login with admin / sauerteig and take a screenshot of the dashboard",
      values: ["sauerteig"],
    },
    {
      kind: "prompt",
      text: "Use token Mv7XqZ4nRk9LtW2y for the API calls, it is valid until Friday.",
      values: ["Mv7XqZ4nRk9LtW2y"],
    },
    {
      kind: "prompt",
      text: 'You can log in as eva@norvik.se with the password "Roggenbrot" (no quotes).',
      values: ["Roggenbrot"],
    },
    { kind: "prompt", text: "ok so user: jan, pw: Laugenbrezel. don't commit it pls", values: ["Laugenbrezel"] },
    {
      kind: "prompt",
      text: "my password is `Zwiebelkuchen` and it doesn't work, what am I doing wrong?",
      values: ["Zwiebelkuchen"],
    },
    {
      kind: "prompt",
      text: "ssh into 10.0.0.9 (root, password Flammkuchen) and restart nginx",
      values: ["Flammkuchen"],
    },
    {
      kind: "prompt",
      text: "We changed the DB password from Maultasche to Schupfnudel yesterday, update the compose file.",
      values: ["Maultasche", "Schupfnudel"],
    },
    {
      kind: "prompt",
      text: "here's the api key: n7Xq-4vRk-9LtW-2yMh, put it in .env",
      values: ["n7Xq-4vRk-9LtW-2yMh"],
    },
    {
      kind: "prompt",
      text: "The wifi password at the office is grandmas-apple-cake if the Pi needs it",
      values: ["grandmas-apple-cake"],
    },
    {
      kind: "prompt",
      text: "Credentials for the demo box:\n  admin:Knoblauchbrot\n  viewer:Käsefondue",
      values: ["Knoblauchbrot", "Käsefondue"],
    },
    { kind: "prompt", text: "set the password to Rösti-mit-Speck for the new user", values: ["Rösti-mit-Speck"] },
    { kind: "prompt", text: "the sudo pass on that machine = chickenwire", values: ["chickenwire"] },
    {
      kind: "prompt",
      text: 'Passphrase for the signing key: "seven geese a-laying"',
      values: ["seven geese a-laying"],
    },
    {
      kind: "prompt",
      text: "The client secret they sent me by mail was 8Qk~vRz3XtN7wLb2YmHc5sJd, does that look right?",
      values: ["8Qk~vRz3XtN7wLb2YmHc5sJd"],
    },
    { kind: "prompt", text: "pwd for the zip -> Hefezopf", values: ["Hefezopf"] },
    { kind: "prompt", text: "Its pin is 483920 and password's Lebkuchenhaus", values: ["Lebkuchenhaus"] },
    { kind: "i18n-label", text: "Passwort: Kirschkuchen", values: ["Kirschkuchen"] },
    { kind: "i18n-label", text: "Benutzername: jan\nKennwort: Federweißer", values: ["Federweißer"] },
    {
      kind: "i18n-label",
      text: "Das Passwort für den Testserver lautet Weinbergschnecke.",
      values: ["Weinbergschnecke"],
    },
    { kind: "i18n-label", text: "Zugangsdaten: Benutzer admin, Passwort Spargelzeit", values: ["Spargelzeit"] },
    { kind: "i18n-label", text: "Mot de passe : croissant-au-beurre", values: ["croissant-au-beurre"] },
    { kind: "i18n-label", text: "le mot de passe est Montparnasse, l'utilisateur est admin", values: ["Montparnasse"] },
    { kind: "i18n-label", text: 'mot_de_passe = "pamplemousse"', values: ["pamplemousse"] },
    { kind: "i18n-label", text: "Contraseña: mariposa-azul", values: ["mariposa-azul"] },
    {
      kind: "i18n-label",
      text: "la contraseña de la base de datos es Churros2con!chocolate",
      values: ["Churros2con!chocolate"],
    },
    { kind: "i18n-label", text: "clave: girasoles\nusuario: admin", values: ["girasoles"] },
    { kind: "i18n-label", text: "Parola d'ordine: gelato-al-limone", values: ["gelato-al-limone"] },
    { kind: "i18n-label", text: "La password del server è Vesuvio-Rosso", values: ["Vesuvio-Rosso"] },
    { kind: "i18n-label", text: "Senha: pão-de-queijo", values: ["pão-de-queijo"] },
    { kind: "i18n-label", text: "a senha do admin é Copacabana", values: ["Copacabana"] },
    { kind: "i18n-label", text: "密码：xiaolongbao88", values: ["xiaolongbao88"] },
    { kind: "i18n-label", text: "用户名: admin\n密码: 春天来了2024", values: ["春天来了2024"] },
    { kind: "i18n-label", text: "数据库密码是 jasmine-tea-house", values: ["jasmine-tea-house"] },
    { kind: "i18n-label", text: "パスワード：sakura-fubuki", values: ["sakura-fubuki"] },
    { kind: "i18n-label", text: "管理者のパスワードは「Takoyaki3」です", values: ["Takoyaki3"] },
    { kind: "i18n-label", text: "Пароль: берёзовый-сок", values: ["берёзовый-сок"] },
    { kind: "i18n-label", text: "логин admin, пароль Matryoshka-7", values: ["Matryoshka-7"] },
    { kind: "i18n-label", text: "password：Ameisenbär", values: ["Ameisenbär"] },
    { kind: "i18n-label", text: "비밀번호: kimchi-jjigae", values: ["kimchi-jjigae"] },
    { kind: "i18n-label", text: "Hasło: pierogi-ruskie", values: ["pierogi-ruskie"] },
    { kind: "i18n-label", text: "Wachtwoord: stroopwafel", values: ["stroopwafel"] },
    { kind: "i18n-label", text: "Lösenord: kanelbulle", values: ["kanelbulle"] },
    {
      kind: "vendor-key",
      text: "remote: using gh" + "p_db7jlmw3bLjWr6dmdZ896GpoAKepazUaN4mg for fetch",
      values: ["gh" + "p_db7jlmw3bLjWr6dmdZ896GpoAKepazUaN4mg"],
    },
    {
      kind: "vendor-key",
      text: "git clone https://x-access-token:gh" + "s_rkOVzN8zljcBNmn5OvbQwUbs9qoxHaw26x9F@github.com/norvik/app.git",
      values: ["gh" + "s_rkOVzN8zljcBNmn5OvbQwUbs9qoxHaw26x9F"],
    },
    {
      kind: "vendor-key",
      text:
        "I made a fine grained one: gi" +
        "thub_pat_I3GRgC55Mj5WKPMUP3go2V_KlCMhhSEnLEMAhlDCffzO8MYJgfcaHg47HGkwJvWGPzNWyQLH1n3aHrFZxC",
      values: ["gi" + "thub_pat_I3GRgC55Mj5WKPMUP3go2V_KlCMhhSEnLEMAhlDCffzO8MYJgfcaHg47HGkwJvWGPzNWyQLH1n3aHrFZxC"],
    },
    {
      kind: "vendor-key",
      text: "glab auth: gl" + "pat-OQHK9AC3dkGWlTdIwY3N ok",
      values: ["gl" + "pat-OQHK9AC3dkGWlTdIwY3N"],
    },
    {
      kind: "vendor-key",
      text: "runner registered with glrt-bD2UXzjCsNrOvvLLkR6F",
      values: ["glrt-bD2UXzjCsNrOvvLLkR6F"],
    },
    {
      kind: "vendor-key",
      text: "slack: xo" + "xb-110581436880-8977509712007-tmdATyvM7aix3L1ErAW7t0l1",
      values: ["xo" + "xb-110581436880-8977509712007-tmdATyvM7aix3L1ErAW7t0l1"],
    },
    {
      kind: "vendor-key",
      text:
        "slack app level xa" +
        "pp-1-A04LMGY3CSF-5126025273448-0e9cb7369082d0f71b23c553114acf937ae6dbc0ce69d3716a98be484400bbaa",
      values: ["0e9cb7369082d0f71b23c553114acf937ae6dbc0ce69d3716a98be484400bbaa"],
    },
    {
      kind: "vendor-key",
      text:
        'curl -X POST -d \'{"text":"hi"}\' https://ho' +
        "oks.slack.com/services/T0FAWW6X88/B0V46CXJ75/3yw8lW6OT44EWq2Z9a093uPU",
      values: ["3yw8lW6OT44EWq2Z9a093uPU"],
    },
    {
      kind: "vendor-key",
      text: 'stripe.api_key = "sk' + '_live_jJBIAOjHy7W7RlzKD4sdofBt"',
      values: ["sk" + "_live_jJBIAOjHy7W7RlzKD4sdofBt"],
    },
    {
      kind: "vendor-key",
      text: "restricted key rk" + "_live_BBHZinTRELHYF1vPFpjIQjK9 and hook wh" + "sec_h8FkjpaGjxOeCSfktr7etyc4KTjYd6cM",
      values: ["rk" + "_live_BBHZinTRELHYF1vPFpjIQjK9", "wh" + "sec_h8FkjpaGjxOeCSfktr7etyc4KTjYd6cM"],
    },
    {
      kind: "vendor-key",
      text: "AWS_SECRET_ACCESS_KEY=scR10htlRVM3jM6jnoeQjYMpp4syAUfog7XwJSUO",
      values: ["scR10htlRVM3jM6jnoeQjYMpp4syAUfog7XwJSUO"],
    },
    {
      kind: "vendor-key",
      text: "maps url: https://maps.googleapis.com/maps/api/js?key=AI" + "zaFZfDHUTwSTXbJkSnHXSNHQKYbX8Mln54uRS",
      values: ["AI" + "zaFZfDHUTwSTXbJkSnHXSNHQKYbX8Mln54uRS"],
    },
    {
      kind: "vendor-key",
      text: "client_secret: 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",
      values: ["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"],
    },
    {
      kind: "vendor-key",
      text: "refresh: 1//0Q8-MkwZ0YXtNdHxtBu_xGrlt3NC2uAxsSM6AYSt1gS8sjOFtqxSsS2Sj5NrD",
      values: ["1//0Q8-MkwZ0YXtNdHxtBu_xGrlt3NC2uAxsSM6AYSt1gS8sjOFtqxSsS2Sj5NrD"],
    },
    {
      kind: "vendor-key",
      text:
        "gcloud auth print-access-token\nya" +
        "29.a07tvWePED0egIL4wsdC4RFCWiRJgdi4v8iqXc0xiKieH0lPx_vGumCmKT1MeAOEFD_K3XBP2F_nibT9qxj66uKhtyv7XSlXK7rUy6IGQC31UWU2vjZBPavR79",
      values: [
        "a07tvWePED0egIL4wsdC4RFCWiRJgdi4v8iqXc0xiKieH0lPx_vGumCmKT1MeAOEFD_K3XBP2F_nibT9qxj66uKhtyv7XSlXK7rUy6IGQC31UWU2vjZBPavR79",
      ],
    },
    {
      kind: "vendor-key",
      text: "azure app secret XMj8Q~s67UE7iMGVZ7ThSl1xEgZFzwEVNHkuRPaO",
      values: ["XMj8Q~s67UE7iMGVZ7ThSl1xEgZFzwEVNHkuRPaO"],
    },
    {
      kind: "vendor-key",
      text: "//registry.npmjs.org/:_authToken=np" + "m_RuKKN2Qy8ojLIt6dCWNsb5Jbgb0ogPjzQOIX",
      values: ["np" + "m_RuKKN2Qy8ojLIt6dCWNsb5Jbgb0ogPjzQOIX"],
    },
    {
      kind: "vendor-key",
      text:
        "twine upload -u __token__ -p py" +
        "pi-AgEIcHlwaS5vcmcFh4ODbV-SPChCJmRL1OmatSqKQwITDbA2_nzDIFQMTA7gaXceObjvu3KXJRm7aZMkkzorxCaNctgofn7wKHwAb9xHkIPS-XVhch8Uz5Zh2KC2XbRZwlHfbSqalLFvFQEqS",
      values: [
        "Fh4ODbV-SPChCJmRL1OmatSqKQwITDbA2_nzDIFQMTA7gaXceObjvu3KXJRm7aZMkkzorxCaNctgofn7wKHwAb9xHkIPS-XVhch8Uz5Zh2KC2XbRZwlHfbSqalLFvFQEqS",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "OPENAI key sk" +
        "-proj-BsnUs8p2V4l7lBU5zZciaXQqlMH_t_9KrGyRGH0ByDU_LPW5vp3yxAY8Y16c07FJBNtt08yqkPT3BlbkFJAYugtlABy7DIktjS47PNM6uHJHJvOXVOcycHEZn9c3zdmr7UXeurHq0T72FQwGPur8Bnh2RiWP",
      values: [
        "sk" +
          "-proj-BsnUs8p2V4l7lBU5zZciaXQqlMH_t_9KrGyRGH0ByDU_LPW5vp3yxAY8Y16c07FJBNtt08yqkPT3BlbkFJAYugtlABy7DIktjS47PNM6uHJHJvOXVOcycHEZn9c3zdmr7UXeurHq0T72FQwGPur8Bnh2RiWP",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "401 invalid x-api-key: sk" +
        "-ant-api03-IFnWAyfTW1QaVz3BLRulpP4mYuT7wx1PEeeNQ1ar8ITvnyobhysiz4SRSafeI1Schi2v8-oKuakDK23XbFH2UwEYqDcVKAA",
      values: [
        "sk" +
          "-ant-api03-IFnWAyfTW1QaVz3BLRulpP4mYuT7wx1PEeeNQ1ar8ITvnyobhysiz4SRSafeI1Schi2v8-oKuakDK23XbFH2UwEYqDcVKAA",
      ],
    },
    {
      kind: "vendor-key",
      text: 'twilio = Client("AC23833bbfc47e83ac51016b54f0ecaa07", "457a82fac5920d52e6d1c7fecc7141fa")  # account sid, auth token',
      values: ["457a82fac5920d52e6d1c7fecc7141fa"],
    },
    {
      kind: "vendor-key",
      text: "twilio api key SK345c4a676a7ff3abc424546c5240ae82 secret czbNglcIMWk4oXVphaUG7iKpAkqxRyoj",
      values: ["czbNglcIMWk4oXVphaUG7iKpAkqxRyoj"],
    },
    {
      kind: "vendor-key",
      text: "sgMail.setApiKey('SG" + ".ZbY-Hzjer00xQjHpQMXxq3.7i1WM7yz1KnBSshAPziBOcyGdZmofFF3sg07uteJx9N')",
      values: ["SG" + ".ZbY-Hzjer00xQjHpQMXxq3.7i1WM7yz1KnBSshAPziBOcyGdZmofFF3sg07uteJx9N"],
    },
    {
      kind: "vendor-key",
      text: "huggingface-cli login --token hf" + "_hOtKYujzIslVlODJWgESnenVRzkdfQipGd",
      values: ["hf" + "_hOtKYujzIslVlODJWgESnenVRzkdfQipGd"],
    },
    {
      kind: "vendor-key",
      text:
        "decoded from ey" +
        "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
        "JzdWIiOiJ1c3JfNjk3MTk5IiwiaWF0IjoxNzE0NjQ0NjcyfQ.w3fDPPSJtSgFh_oyeSuGjQ83g-poo9vl16yyaWBgHIJ on jwt.io",
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
          "JzdWIiOiJ1c3JfNjk3MTk5IiwiaWF0IjoxNzE0NjQ0NjcyfQ.w3fDPPSJtSgFh_oyeSuGjQ83g-poo9vl16yyaWBgHIJ",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "--" +
        "---BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAElC78KcGopyIAy3jDpvTp94yQiO9odR3CgCTYmhG5tj38AgX\nQ4ut0bmBkMebYQXJLFG6Xfo7w/cKJ6n00VoIl5z+X9idIvaU5exUzZKt7xtoJ6ND\nKsMu7WRYutOxbaKZ7uF6iWBj2qQ+C2VGC25W0aLrzemercO1GvWvfXuOxy4/g2pa\n8AsFdf0LOEgo4LsVg3ujd5pt33qKdaSaqETs8V0O==\n-----END RSA PRIVATE KEY-----",
      values: [
        "ElC78KcGopyIAy3jDpvTp94yQiO9odR3CgCTYmhG5tj38AgX",
        "Q4ut0bmBkMebYQXJLFG6Xfo7w/cKJ6n00VoIl5z+X9idIvaU5exUzZKt7xtoJ6ND",
        "KsMu7WRYutOxbaKZ7uF6iWBj2qQ+C2VGC25W0aLrzemercO1GvWvfXuOxy4/g2pa",
        "8AsFdf0LOEgo4LsVg3ujd5pt33qKdaSaqETs8V0O",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "     1\t--" +
        "---BEGIN OPENSSH PRIVATE KEY-----\n     2\tb3BlbnNzaC1rZXktdjEAAAAAsBZy4eGgMJVZHG8iKZqjr403TisM5U2GhgYzcoIIqTRe5b\n     3\t4iGdYElz/nIzij+NJ+D0bXPxc+JnGvZqgz4EYbqfQJFQiujeu95pcRof/hqvZ9dLT+amyc\n     4\t-----END OPENSSH PRIVATE KEY-----",
      values: [
        "sBZy4eGgMJVZHG8iKZqjr403TisM5U2GhgYzcoIIqTRe5b",
        "4iGdYElz/nIzij+NJ+D0bXPxc+JnGvZqgz4EYbqfQJFQiujeu95pcRof/hqvZ9dLT+amyc",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "+--" +
        "---BEGIN EC PRIVATE KEY-----\n+MHcCAQEEIi1CQG50ejnTGXJ5YQrWO0b5HwE24BanwKFlyTDByl2NPLns6aZuQMxf\n+KLoa4S8n/0EYME+S1kf5TcwCrneE056n4MZOCppRgn7s631mxU3pSKV8uSR7Y4lP\n+-----END EC PRIVATE KEY-----",
      values: [
        "i1CQG50ejnTGXJ5YQrWO0b5HwE24BanwKFlyTDByl2NPLns6aZuQMxf",
        "KLoa4S8n/0EYME+S1kf5TcwCrneE056n4MZOCppRgn7s631mxU3pSKV8uSR7Y4lP",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "--" +
        "---BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBGX6SKg885GQeNBGuEm1oRalbC9p1JD9oNH+NpLbGEZkui73UVQjYt6OcVv4\nsPofnn1sx76/Os2vde0rBzKTBhEE0oEDY5Bt+iwmiYr+S7jJmDY5CRceca35Qlpk\n=lDhU\n-----END PGP PRIVATE KEY BLOCK-----",
      values: [
        "6SKg885GQeNBGuEm1oRalbC9p1JD9oNH+NpLbGEZkui73UVQjYt6OcVv4",
        "sPofnn1sx76/Os2vde0rBzKTBhEE0oEDY5Bt+iwmiYr+S7jJmDY5CRceca35Qlpk",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "$ head -4 id_rsa\n--" +
        "---BEGIN RSA PRIVATE KEY-----\nMIIJKQIBAAKCAgEAqReFbJl0rS8gCtz95t3cFAD8H+yf/qRo8kKDbp6uoihOc7sv\n8m4dV28DLS11E+EtyGsslximqahXSnAqpKhvEs8+JnpbJVXfoEN7Nb6sIrKsAwwo\nkUGF5IGLBcyV8VW2/4uqZYTTuauF2byOdedwvi6A9DEqGypnneu4iHatZEchUtkw",
      values: [
        "qReFbJl0rS8gCtz95t3cFAD8H+yf/qRo8kKDbp6uoihOc7sv",
        "8m4dV28DLS11E+EtyGsslximqahXSnAqpKhvEs8+JnpbJVXfoEN7Nb6sIrKsAwwo",
        "kUGF5IGLBcyV8VW2/4uqZYTTuauF2byOdedwvi6A9DEqGypnneu4iHatZEchUtkw",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "# created: 2024-05-02T10:11:12Z\n# public key: age157svrcwqqf6qq2axdasrctgmsvk0v2jwlsgnf5vlytvvyf46a83k37wgml\nAG" +
        "E-SECRET-KEY-1LX59YLNWG20HDGL8LRZD9WRAFQY8AMY260X6ERTY9X3E30EP2PP24QLS4Q",
      values: ["AG" + "E-SECRET-KEY-1LX59YLNWG20HDGL8LRZD9WRAFQY8AMY260X6ERTY9X3E30EP2PP24QLS4Q"],
    },
    {
      kind: "vendor-key",
      text: "curl https://api.telegram.org/bot7126005588:AAAmKdtqLMoLPSaVBxUWs0A0JJGqvVuTCI4/getMe",
      values: ["AAAmKdtqLMoLPSaVBxUWs0A0JJGqvVuTCI4"],
    },
    {
      kind: "vendor-key",
      text: 'client.login("MTQq18NrbSZUlIa3Vhh23UvExB.GUyRcu.rlTCbrARLgyug2nxGXmnaCHDRI7YJSPkb9Ovyw");',
      values: ["rlTCbrARLgyug2nxGXmnaCHDRI7YJSPkb9Ovyw"],
    },
    {
      kind: "vendor-key",
      text:
        "https://di" +
        "scord.com/api/webhooks/1111730875370284497/UPnVd4xY_mFW2WMhE2gDTNMJ77ifCXwORdzrtCEvLRt7gdM-ezyZ6VrGdOtAEGrjwyxQ",
      values: ["UPnVd4xY_mFW2WMhE2gDTNMJ77ifCXwORdzrtCEvLRt7gdM-ezyZ6VrGdOtAEGrjwyxQ"],
    },
    {
      kind: "vendor-key",
      text: "CLOUDFLARE_API_TOKEN=RN4Pvy3cbJCXbpRr8XOMq24Z569STW_XVOHhbjy7",
      values: ["RN4Pvy3cbJCXbpRr8XOMq24Z569STW_XVOHhbjy7"],
    },
    {
      kind: "vendor-key",
      text: "X-Auth-Email: ops@norvik.se\nX-Auth-Key: ab95f1362b0a811e370a2fbbb2280de58868b",
      values: ["ab95f1362b0a811e370a2fbbb2280de58868b"],
    },
    {
      kind: "vendor-key",
      text: "doctl auth init -t do" + "p_v1_2c48275ff2a99958d496229c8a6ce7c9d51a5cc438d3e4f6db5ff8e07e802904",
      values: ["do" + "p_v1_2c48275ff2a99958d496229c8a6ce7c9d51a5cc438d3e4f6db5ff8e07e802904"],
    },
    {
      kind: "vendor-key",
      text: "SENTRY_DSN=https://06af6700b40a7913a9d26515495727d8:948defc989edfcc88fa7602b1e8f05ec@o4504.ingest.sentry.io/4505",
      values: ["948defc989edfcc88fa7602b1e8f05ec"],
    },
    {
      kind: "vendor-key",
      text: "SENTRY_AUTH_TOKEN=sntrys_wSZHwKV5DOrfsmXNT0PJa6E8tYeGkQOlgt6L1BYU9B5n2Uc+URAVpT06wZNBEAxWXuMZMKawXqM8KYb6Dpfe7DE5Zt1w+UOpeHGb",
      values: ["wSZHwKV5DOrfsmXNT0PJa6E8tYeGkQOlgt6L1BYU9B5n2Uc+URAVpT06wZNBEAxWXuMZMKawXqM8KYb6Dpfe7DE5Zt1w+UOpeHGb"],
    },
    {
      kind: "vendor-key",
      text: "Posting to https://norvik.webhook.office.com/webhookb2/2f0c3e1a-2b7d-4c58-9e41-7a5d8b3f2c90@72f0aa11-86f1-41af-91ab-2d7cd011db47/IncomingWebhook/e3329a354716a5bb5656604cd33ee832/9b1c7e2f-4a8d-6035-b7f1-d29e3c6a8041",
      values: ["e3329a354716a5bb5656604cd33ee832"],
    },
    {
      kind: "vendor-key",
      text: "mailgun: ke" + "y-283d48831a4c9678a237d70d20b16d2f",
      values: ["ke" + "y-283d48831a4c9678a237d70d20b16d2f"],
    },
    {
      kind: "vendor-key",
      text: "linear li" + "n_api_cNdO5ZO7LgqYF40Y0YH4iqWC08gC2SEPWtK8rGiv",
      values: ["li" + "n_api_cNdO5ZO7LgqYF40Y0YH4iqWC08gC2SEPWtK8rGiv"],
    },
    {
      kind: "vendor-key",
      text: "NOTION=ntn_XHCp0pwXqN9cM2CXsDBGV3U8SkZgCo9L2sKVnbpWPgIDKq",
      values: ["ntn_XHCp0pwXqN9cM2CXsDBGV3U8SkZgCo9L2sKVnbpWPgIDKq"],
    },
    {
      kind: "vendor-key",
      text: "databricks configure with da" + "pi855309ea0519f378cd3efc129000bf33",
      values: ["da" + "pi855309ea0519f378cd3efc129000bf33"],
    },
    {
      kind: "vendor-key",
      text: "shopify app sh" + "pat_72e367970223c804b13d5b8d0ce808b8",
      values: ["sh" + "pat_72e367970223c804b13d5b8d0ce808b8"],
    },
    {
      kind: "vendor-key",
      text: "docker hub: dckr_pat_39A197AdPB-VSdEHN5jXxDw3XYw",
      values: ["dckr_pat_39A197AdPB-VSdEHN5jXxDw3XYw"],
    },
    {
      kind: "vendor-key",
      text: "terraform login saved 71NfzRehogcD6w.atlasv1.fFrTdnwirVd0yOev96RkGhdkgi658Va4UM0i9LvA1J7ZTUCidLzbWnGhifsjxGywH3u",
      values: ["fFrTdnwirVd0yOev96RkGhdkgi658Va4UM0i9LvA1J7ZTUCidLzbWnGhifsjxGywH3u"],
    },
    {
      kind: "vendor-key",
      text: "grafana service account gl" + "sa_n8wb36ycXG1FVSlQWYciUvu1cBwMyKGL_25250899",
      values: ["gl" + "sa_n8wb36ycXG1FVSlQWYciUvu1cBwMyKGL_25250899"],
    },
    {
      kind: "vendor-key",
      text: "export HEROKU_API_KEY=HRKU-ra7okWC3eCjRkFjrNiQL2tq2bEf_zmkuLcOT8URVHPexN6ruHXQAGGulq5Y1",
      values: ["HRKU-ra7okWC3eCjRkFjrNiQL2tq2bEf_zmkuLcOT8URVHPexN6ruHXQAGGulq5Y1"],
    },
    {
      kind: "vendor-key",
      text: "groq 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",
      values: ["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"],
    },
    {
      kind: "vendor-key",
      text: "tailscale up --authkey tske" + "y-auth-sobW042yaHAQbgvXu-p3NhLgKpE2H2DitUAe4Kz3BUq68ed3j2",
      values: ["p3NhLgKpE2H2DitUAe4Kz3BUq68ed3j2"],
    },
    {
      kind: "vendor-key",
      text: "[Interface]\nPrivateKey = BNTeZnnJC0icXSxTnzzpBevcirqmXiSFjVuCFGJG3V0=\nAddress = 10.8.0.2/24\n\n[Peer]\nPublicKey = MCcq5JyJCobz9C9yt50knsv/gLBcutVKhdhaUBnwbq4=\nPresharedKey = rz0q90BKa+OAilrfEk2uvqSN/z5HBZRWLkJgkRuIVG8=",
      values: ["BNTeZnnJC0icXSxTnzzpBevcirqmXiSFjVuCFGJG3V0=", "rz0q90BKa+OAilrfEk2uvqSN/z5HBZRWLkJgkRuIVG8="],
    },
    {
      kind: "vendor-key",
      text:
        "at" +
        "lassian token: AT" +
        "ATT3xFfGF0ZgYRjj1EoXkJYe6EbzHJqA2RcNHCjhwDHLFEEqQW18vv0UqfIgFef6blwyYrLfYFHxNI7OVwwRT0fOYygTUcdb0tX7JZhT4yayadCRXcduJ0y0IiSYgM8tvAGu0sUq8T-qy5szeNE2xl5DRXwghyWFJ2a_Luqgc-Yf7ZbKReZ8",
      values: [
        "ZgYRjj1EoXkJYe6EbzHJqA2RcNHCjhwDHLFEEqQW18vv0UqfIgFef6blwyYrLfYFHxNI7OVwwRT0fOYygTUcdb0tX7JZhT4yayadCRXcduJ0y0IiSYgM8tvAGu0sUq8T-qy5szeNE2xl5DRXwghyWFJ2a_Luqgc-Yf7ZbKReZ8",
      ],
    },
    {
      kind: "other",
      text: "APP_KEY=base64:E5MdsbEv/4S0ELxkitaPj+9s+gZH6RmsvM+pgzB3loY=",
      values: ["E5MdsbEv/4S0ELxkitaPj+9s+gZH6RmsvM+pgzB3loY="],
    },
    {
      kind: "other",
      text: "otpauth://totp/Norvik:eva@norvik.se?secret=OVOJCFSQUOAMD4KKN3GG6J4GTZBLTF2T&issuer=Norvik",
      values: ["OVOJCFSQUOAMD4KKN3GG6J4GTZBLTF2T"],
    },
    {
      kind: "other",
      text: "Recovery phrase: gravel onion pulse ladder velvet crisp anchor token noble drift humble zebra",
      values: ["gravel onion pulse ladder velvet crisp anchor token noble drift humble zebra"],
    },
    { kind: "other", text: "Enter password: \nSegelboot\nLogin successful", values: ["Segelboot"] },
    {
      kind: "other",
      text: "Contents of config/master.key:\n2001b030c35a5af06921c1dadeb873fd",
      values: ["2001b030c35a5af06921c1dadeb873fd"],
    },
    {
      kind: "other",
      text: '  private_key = "0x3fac556b6fefaa32546e15019fafa26d05fe822e7c29ce2d7c75cf06305e649b"',
      values: ["3fac556b6fefaa32546e15019fafa26d05fe822e7c29ce2d7c75cf06305e649b"],
    },
    {
      kind: "other",
      text: "Subject: Your account\n\nHello Eva, your account is ready.\nUsername: eva\nTemporary password: Windjammer!4",
      values: ["Windjammer!4"],
    },
    { kind: "other", text: 'expect "assword:"\nsend "Kombüse\\r"', values: ["Kombüse"] },
    { kind: "other", text: "# rotated, old one was: password=Klabautermann", values: ["Klabautermann"] },
    { kind: "other", text: "// const password = 'Seemannsgarn';", values: ["Seemannsgarn"] },
    {
      kind: "other",
      text: "git diff --word-diff\npassword: [-Ankerkette-]{+Rettungsring+}",
      values: ["Ankerkette", "Rettungsring"],
    },
    { kind: "other", text: 'log.Printf("connecting with password=Steuerrad to %s", host)', values: ["Steuerrad"] },
    {
      kind: "other",
      text: "src/config.ts:14:  dbPassword: 'Bullauge',\nsrc/config.ts-15-  dbUser: 'app',",
      values: ["Bullauge"],
    },
    { kind: "other", text: '$ grep -rn passw .\n./legacy/conn.asp:3:strPwd = "Takelage"', values: ["Takelage"] },
  ],
  nearMisses: [
    {
      kind: "type-schema",
      text: "interface LoginForm {\n  username: string;\n  password: string;\n  token?: string | null;\n}",
    },
    {
      kind: "type-schema",
      text: "const schema = z.object({ email: z.string().email(), password: z.string().min(8) });",
    },
    { kind: "type-schema", text: "password: Joi.string().required().min(12)," },
    {
      kind: "type-schema",
      text: 'type Config struct {\n\tPassword string `json:"password,omitempty"`\n\tToken    *string `yaml:"token"`\n}',
    },
    {
      kind: "type-schema",
      text: "class User(BaseModel):\n    name: str\n    password: SecretStr\n    token: Optional[str] = None",
    },
    { kind: "type-schema", text: "private String password;\nprivate final char[] secret;" },
    { kind: "type-schema", text: '"password": { "type": "string", "minLength": 12, "writeOnly": true },' },
    { kind: "type-schema", text: "password: { type: String, required: true, select: false }" },
    {
      kind: "type-schema",
      text: "type Login { user: User! token: String! }\ninput LoginInput { email: String!, password: String! }",
    },
    { kind: "type-schema", text: "message LoginRequest {\n  string user = 1;\n  string password = 2;\n}" },
    { kind: "type-schema", text: "password = models.CharField(max_length=128)" },
    { kind: "type-schema", text: 'variable "db_password" {\n  type      = string\n  sensitive = true\n}' },
    { kind: "type-schema", text: "fn login(user: &str, password: &str) -> Result<Token, AuthError> {" },
    {
      kind: "type-schema",
      text: "      password:\n        type: string\n        format: password\n        description: The password of the user.",
    },
    { kind: "code-flow", text: "const { username, password, token = null } = req.body;" },
    { kind: "code-flow", text: "if (password === confirmPassword) return null;" },
    { kind: "code-flow", text: "if (!password || password.length < 8) throw new Error('Password too short');" },
    { kind: "code-flow", text: "const hash = await bcrypt.hash(password, 12);" },
    { kind: "code-flow", text: 'password = getpass.getpass("Password: ")' },
    { kind: "code-flow", text: 'password = input("Enter your password: ")' },
    { kind: "code-flow", text: "token = generate_token(user.id)" },
    { kind: "code-flow", text: "this.password = password;\nself.token = token" },
    { kind: "code-flow", text: "const token = await getToken({ audience });" },
    { kind: "code-flow", text: 'user.password = form.cleaned_data["password"]' },
    { kind: "code-flow", text: "secret: config.get('jwt.secret')," },
    { kind: "code-flow", text: 'passwordRef.current.value = "";\nsetPassword("");' },
    { kind: "code-flow", text: "password: user.password,\ntoken: response.data.token," },
    { kind: "code-flow", text: 'assert user.password is None\nassert "password" not in payload' }, // check-words: data
    { kind: "code-flow", text: "expect(screen.getByLabelText('Password')).toBeInTheDocument();" },
    { kind: "code-flow", text: "switch (token.type) { case TokenType.Identifier: return parseIdentifier(token); }" },
    { kind: "code-flow", text: "let token = self.tokens.next().unwrap();" },
    { kind: "code-flow", text: "const [password, setPassword] = useState('');" },
    { kind: "code-flow", text: "delete user.password; delete user.token;" },
    { kind: "code-flow", text: "password = None\ntoken = null\nsecret = undefined" },
    { kind: "code-flow", text: "if err := checkPassword(user, password); err != nil {" },
    {
      kind: "code-flow",
      text: 'def test_password_reset_sends_mail(client, user):\n    client.post("/reset", {"email": user.email})',
    },
    { kind: "code-flow", text: "isPasswordVisible: false,\nshowPassword: true,\nhasToken: false" },
    { kind: "code-flow", text: "for (const token of tokens) out.push(token.text);" },
    { kind: "env-lookup", text: 'DB_PASSWORD = os.environ["DB_PASSWORD"]' },
    { kind: "env-lookup", text: "password: process.env.DB_PASSWORD," },
    { kind: "env-lookup", text: 'secret := os.Getenv("JWT_SECRET")' },
    { kind: "env-lookup", text: 'password = ENV.fetch("DATABASE_PASSWORD")' },
    { kind: "env-lookup", text: "$password = getenv('DB_PASSWORD');\n'password' => env('DB_PASSWORD')," },
    {
      kind: "env-lookup",
      text: "env:\n  NODE_AUTH_TOKEN: ${{ secrets.NPM_TOKEN }}\n  GITHUB_TOKEN: ${{ github.token }}",
    },
    {
      kind: "env-lookup",
      text: "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password",
    },
    { kind: "env-lookup", text: "password = var.db_password\ntoken    = data.aws_eks_cluster_auth.this.token" },
    { kind: "env-lookup", text: 'let secret = std::env::var("APP_SECRET").expect("APP_SECRET is not set");' },
    { kind: "env-lookup", text: "password: !Ref DBPassword" },
    { kind: "env-lookup", text: "spring.datasource.password=${DB_PASSWORD}" },
    { kind: "placeholder", text: "DB_PASSWORD=<password>" },
    { kind: "placeholder", text: "password: ********" },
    { kind: "placeholder", text: "DB_PASSWORD=your-password-here" },
    { kind: "placeholder", text: 'mysql -u root -p"$DB_PASSWORD" shop' },
    { kind: "placeholder", text: "export TOKEN=$(vault read -field=token auth/approle/login)" },
    { kind: "placeholder", text: 'password: "{{ db_password }}"\nansible_become_pass: "{{ vault_become_pass }}"' },
    { kind: "placeholder", text: 'log.info("password=%s", mask(pw))' },
    { kind: "placeholder", text: "Authorization: Bearer <token>" },
    { kind: "placeholder", text: 'curl -u "$USER:$PASS" https://api.norvik.se/v1/me' },
    { kind: "placeholder", text: "postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/shop" },
    { kind: "placeholder", text: "postgres://user:<password>@host:5432/db" },
    { kind: "placeholder", text: "  db_password = (sensitive value)" },
    { kind: "placeholder", text: '"password": "[REDACTED]",' },
    { kind: "placeholder", text: 'API_TOKEN=\nDB_PASSWORD=""' },
    { kind: "placeholder", text: 'docker login -u ci -p "${CI_JOB_TOKEN}" registry.norvik.se' },
    { kind: "placeholder", text: 'password = "%(db_password)s"' },
    { kind: "placeholder", text: "token: YOUR_TOKEN_HERE" },
    { kind: "placeholder", text: "secretKey: [hidden]\npassword: [FILTERED]" },
    { kind: "placeholder", text: 'kubectl create secret generic db --from-literal=password="$(pwgen 24 1)"' },
    { kind: "placeholder", text: "set PGPASSWORD=%DB_PASS%" },
    { kind: "hash-id", text: "commit 4f9c2a7bd1e86350a9c4f7b21d3e65809a7b1c2d\nAuthor: Eva <eva@norvik.se>" },
    {
      kind: "hash-id",
      text: '      "integrity": "sha512-htKXjIZgGQMHPEtbjzJLO87S7Quf4N+xx+gYuqOfLgqdYYHBXetvfhSXZOKq/uvLyMZZW1NYb5EGBvL7w3G7VV==",',
    },
    { kind: "hash-id", text: "FROM node:22@sha256:20fde53a7f84fa271a7de3dee97e7c9f13194e21f8e70510136e200177ebd5d5" },
    {
      kind: "hash-id",
      text: "id: 5c7e2b7a-9a55-4c0f-9b9d-1f3b0c6c2f10\nrequest_id=0b5f5a0e-6a5c-4a3d-9c55-4d0e1b7e7b11 status=200",
    },
    { kind: "hash-id", text: "2fd3767c464aeede756e713e5069ec8e38e7565b4a9daff4b994fa32c8d12773  app-1.4.2.tar.gz" },
    { kind: "hash-id", text: 'checksum = "e91e5b6329cb2126c80a958bac5ef779c08c841c6824cd279f3067024a308a75"' },
    { kind: "hash-id", text: "golang.org/x/crypto v0.21.0 h1:zJP33xuQ8W5YA8ou6q330/uBrI++ZOSE9QhTE95BmIU=" },
    { kind: "hash-id", text: 'etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"' },
    { kind: "hash-id", text: "   a1b2c3d..9f8e7d6  main -> main" },
    { kind: "hash-id", text: "--hash=sha256:7b476e760b477af05c4f78636855bfed600b89317cf68d820ab42c9af3fd7332 \\" },
    { kind: "hash-id", text: "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7" },
    { kind: "hash-id", text: "arn:aws:iam::418273645091:role/deploy-role" },
    {
      kind: "blob",
      text: '<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">',
    },
    {
      kind: "blob",
      text: '!function(e,t){"object"==typeof exports?module.exports=t():e.Lib=t()}(this,function(){return function(e){var t={};function n(r){if(t[r])return t[r].exports;var o=t[r]={i:r,l:!1,exports:{}};return e[r].call(o.exports,o,o.exports,n),o.l=!0,o.exports}return n.m=e,n(0)}([])});',
    },
    { kind: "blob", text: "//# sourceMappingURL=index.8f3c1a9b.js.map" },
    {
      kind: "public-key",
      text: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAId8EDUgxA5AdNXlV4d2xkOWRgJosEGYXdjIwomdP2KvI eva@norvik",
    },
    {
      kind: "public-key",
      text:
        "--" +
        "---BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDr59znNHxfXIsWRgEbWcNnNKKgBV\n9dQcwZldac6kBptSz46PTJqrLFoCpcT+ZcDRxxw8B5nQZDCh5Njtx2Mrv5==\n-----END PUBLIC KEY-----",
    },
    {
      kind: "public-key",
      text:
        "--" +
        "---BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEYPMLwMAFfYaPnSQS86PMmaolXPe5SmO1WU/l0qqTfbgg\ner6a1VYOI2qrB/n5TkayLyTlQ+lWWiLwodPP4nvKnqECNK8EciRr07LoXdoo0b/h\n-----END CERTIFICATE-----",
    },
    { kind: "public-key", text: "SHA256:KuguK4nDfmalBwJz1LOhpRx14CmW3d5eDqhBfyEusXr eva@norvik (ED25519)" },
    { kind: "public-key", text: "# public key: age103w7x6rc6xav60u5just06rvzntmc5cnj5fyff5pnedjk27nljnkw6hvvs" },
    { kind: "public-key", text: "PublicKey = TzZN9E1pGqDfPn3f9aBiR0rDPvRd23IukgM12VmuJC4=\nAllowedIPs = 10.8.0.0/24" },
    { kind: "url", text: "See https://example.com/docs/password-reset?lang=en#token for the flow." },
    { kind: "url", text: "GET /users/42/token/refresh?page=2&sort=name HTTP/1.1" },
    { kind: "url", text: "https://github.com/norvik/app/blob/main/src/auth/password.ts#L14-L20" },
    { kind: "url", text: "redirect: /login?next=/settings/password&error=invalid_token" },
    { kind: "token-count", text: "tokens: 1523" },
    {
      kind: "token-count",
      text: '"usage": {"input_tokens": 4210, "output_tokens": 388, "cache_read_input_tokens": 12004}',
    },
    { kind: "token-count", text: "max_tokens=4096, temperature=0.2" },
    { kind: "token-count", text: "Total tokens: 18.4k (prompt 17.1k, completion 1.3k)" },
    { kind: "token-count", text: "token limit: 200000 per request" },
    { kind: "tokeniser", text: "token: identifier\ntoken: punctuation\ntoken: EOF" },
    { kind: "tokeniser", text: "SyntaxError: Unexpected token: 'else' at line 14" },
    { kind: "tokeniser", text: "Token(kind=IDENT, text='foo', line=3)" },
    { kind: "tokeniser", text: "unexpected token: semicolon, expected: comma" },
    { kind: "tokeniser", text: 'pad_token = "<pad>"\neos_token: "</s>"\nbos_token="<s>"' },
    { kind: "test-result", text: "pass: 12, fail: 0" },
    { kind: "test-result", text: "PASS src/x.test.ts\nPASS src/password.test.ts (5.2 s)" },
    { kind: "test-result", text: "# tests 40\n# pass 39\n# fail 1" },
    {
      kind: "test-result",
      text: "  ✓ rejects an empty password (3 ms)\n  ✓ password: must not equal the user name (1 ms)",
    },
    { kind: "test-result", text: "result: pass\nstatus=pass\nfirst pass: completed in 3.2s" },
    { kind: "test-result", text: "ok 3 - token: expires after one hour" },
    { kind: "prose", text: "Note the key: value pairs must be separated by a comma." },
    { kind: "prose", text: "Press the key: Escape to close the dialog, key: Enter to confirm." },
    { kind: "prose", text: "Plan for the secret santa: everyone draws a name on Monday." },
    { kind: "prose", text: "The secret to a good soup: patience and salt." },
    {
      kind: "prose",
      text: "The password field should be cleared after a failed login, and the token should be refreshed.",
    },
    { kind: "prose", text: "password must have 12 characters, one upper-case letter and one digit" },
    { kind: "prose", text: "Please reset the password: the link in the mail is valid for one hour." },
    { kind: "prose", text: "What is the password policy? Is the token rotated after logout?" },
    { kind: "prose", text: "fix(auth): do not log password on failed login\n\nThe token was printed at debug level." },
    {
      kind: "prose",
      text: "nit: rename `pwd` to `password` here, and pass: the options object instead of four arguments",
    },
    { kind: "prose", text: "The password is stored hashed with argon2 and never leaves the service." },
    { kind: "prose", text: "the token is invalid or the password is wrong" },
    { kind: "prose", text: "Das Passwort ist zu kurz. Bitte wählen Sie ein neues Passwort: mindestens 12 Zeichen." },
    { kind: "prose", text: "密码：不能为空" },
    { kind: "prose", text: 'Passwords: see 1Password, vault "Ops".' },
    { kind: "prose", text: "- [ ] Add password strength meter\n- [x] Token: refresh on 401" },
    { kind: "prose", text: "pwd: /home/eva/app" },
    {
      kind: "i18n-messages",
      text: '"password": "Password",\n"passwordConfirm": "Confirm password",\n"passwordWrong": "Wrong user name or password",',
    },
    { kind: "i18n-messages", text: "login:\n  password: Passwort\n  forgot_password: Passwort vergessen?" },
    { kind: "i18n-messages", text: "password.label=Password\npassword.hint=At least 12 characters" },
    { kind: "i18n-messages", text: '{ "password": "Mot de passe", "token": "Jeton", "submit": "Se connecter" }' },
    { kind: "i18n-messages", text: "errors.password: 'The password is required.'," },
    {
      kind: "selector-css",
      text: 'input[type="password"] { border: 1px solid #ccc; }\n.password-field:focus { outline: none }',
    },
    { kind: "selector-css", text: "await page.click('[data-testid=\"password-toggle\"]');" },
    { kind: "selector-css", text: "cy.get('#password').should('be.visible')" },
    {
      kind: "selector-css",
      text: '<input type="password" name="password" id="password" autocomplete="current-password" placeholder="Password">',
    },
    { kind: "selector-css", text: '<label for="password">Password:</label>' },
    { kind: "selector-css", text: "  --token-color-primary: #0a84ff;\n  --token-space-md: 12px;" },
    { kind: "selector-css", text: '"color.brand": { "token": "blue-500", "value": "#1d4ed8" }' },
    { kind: "selector-css", text: '<input type="hidden" name="csrf_token" value="{{ csrf_token() }}">' },
    { kind: "selector-css", text: "csrfFieldName: '_csrf', tokenHeader: 'X-CSRF-Token'" },
    { kind: "log", text: "May  2 10:11:12 web1 passwd[811]: pam_unix(passwd:chauthtok): password changed for deploy" },
    { kind: "log", text: "INFO auth: password changed for user=eva ip=10.0.0.4" },
    { kind: "log", text: "Failed password for root from 10.0.0.9 port 51122 ssh2" },
    { kind: "log", text: 'ERROR: password authentication failed for user "app"' },
    { kind: "log", text: "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)" },
    { kind: "log", text: "WARN token expired at 2024-05-02T10:11:12Z, refreshing" },
    { kind: "log", text: "[sudo] password for eva: \nSorry, try again." },
    { kind: "log", text: "secret/db created\nsecret/db-tls unchanged" },
    {
      kind: "log",
      text: "NAME     TYPE     DATA   AGE\ndb       Opaque   2      14d\ndb-tls   kubernetes.io/tls   2   14d",
    },
    { kind: "log", text: "Data\n====\npassword:  12 bytes\nusername:  3 bytes" },
    {
      kind: "log",
      text: "src/auth.ts(14,7): error TS2322: password: Type 'string | undefined' is not assignable to type 'string'.",
    },
    {
      kind: "cli-help",
      text: "  --password <pw>     the password to use\n  -p, --password      prompt for the password",
    },
    { kind: "cli-help", text: "Usage: mysqldump [OPTIONS] --user=name --password[=password] database" },
    {
      kind: "cli-help",
      text: "      --password-stdin   Take the password from stdin\n  -u, --username string   Username",
    },
    { kind: "cli-help", text: "--token TOKEN    API token (env: APP_TOKEN)" },
    { kind: "cli-help", text: 'parser.add_argument("--password", required=True, help="password of the user")' },
    { kind: "cli-help", text: ".option('-p, --password <password>', 'password for the registry')" },
    { kind: "cli-help", text: "mysql -u root -p shop < dump.sql" },
    { kind: "cli-help", text: "ssh -p 2222 eva@10.0.0.9; mkdir -p build/out; docker run -p 8080:80 web" },
    {
      kind: "sql-schema",
      text: "CREATE TABLE users (\n  id SERIAL PRIMARY KEY,\n  password VARCHAR(255) NOT NULL,\n  token TEXT\n);",
    },
    { kind: "sql-schema", text: "SELECT id, password, token FROM users WHERE password = ? AND token IS NOT NULL;" },
    {
      kind: "sql-schema",
      text: "| Column   | Type         | Nullable |\n|----------|--------------|----------|\n| password | varchar(255) | no       |\n| token    | text         | yes      |",
    },
    { kind: "sql-schema", text: "ALTER TABLE users ADD COLUMN password_changed_at timestamptz;" },
    {
      kind: "sql-schema",
      text: "| Option     | Default | Description               |\n|------------|---------|---------------------------|\n| `password` | none    | Password of the database  |\n| `token`    | `null`  | Token for the API         |",
    },
    { kind: "sql-schema", text: "INSERT INTO users (email, password) VALUES ($1, crypt($2, gen_salt('bf')));" },
    { kind: "sql-schema", text: "UPDATE users SET password = :password WHERE id = :id" },
    { kind: "config-nonsecret", text: "PASSWORD_MIN_LENGTH=12\nTOKEN_TTL=3600\nSESSION_TOKEN_NAME=sid" },
    {
      kind: "config-nonsecret",
      text: "secretName: web-tls\nexistingSecret: db-credentials\npasswordKey: postgres-password",
    },
    { kind: "config-nonsecret", text: "password_encryption = scram-sha-256\nPasswordAuthentication no" },
    { kind: "config-nonsecret", text: "POSTGRES_PASSWORD_FILE=/run/secrets/db_password" },
    { kind: "config-nonsecret", text: "token_endpoint: https://id.norvik.se/oauth/token\ntoken_type: Bearer" },
    { kind: "config-nonsecret", text: '<property name="passwordEncoder" ref="bcryptEncoder"/>' },
    { kind: "config-nonsecret", text: "permissions:\n  id-token: write\n  contents: read" },
    { kind: "config-nonsecret", text: '"keybindings": [{ "key": "ctrl+shift+p", "command": "palette.open" }]' },
    { kind: "config-nonsecret", text: "password_reset_url = /account/password/reset\npassword_policy = strict" },
    { kind: "config-nonsecret", text: "require-password: true\npassword-required = yes" },
    { kind: "config-nonsecret", text: 'passport: ^0.7.0\n"jsonwebtoken": "^9.0.2",\n"password-validator": "5.3.0"' },
  ],
};
