// Texts with made-up credentials in unusual places, and near-misses. The filter is tuned on these.
import type { Corpus } from "../measure-corpus.ts";

export const CORPUS: Corpus = {
  secrets: [
    {
      kind: "dotenv",
      text: "APP_ENV=staging\nDB_HOST=10.4.0.17\nDB_USERNAME=orders\nDB_PASSWORD=Kastanie!Nord88\nCACHE_DRIVER=redis",
      values: ["Kastanie!Nord88"],
    },
    {
      kind: "dotenv",
      text: 'MAIL_HOST=smtp.birkenhof.internal\nMAIL_PORT=587\nMAIL_PASSWORD="three blind mice on tour"',
      values: ["three blind mice on tour"],
    },
    { kind: "dotenv", text: "SMTP_USER=relay\nSMTP_PASS='#Rosebud1941'", values: ["#Rosebud1941"] },
    {
      kind: "dotenv",
      text: "NODE_ENV=production\nPORT=3000\nSESSION_SECRET=marmalade-tractor-violet-window\nCOOKIE_DOMAIN=.harrowgate.test",
      values: ["marmalade-tractor-violet-window"],
    },
    {
      kind: "dotenv",
      text: "# billing\nLEGACY_FTP_PW = rumpel/stilz/chen\nLEGACY_FTP_DIR = /incoming",
      values: ["rumpel/stilz/chen"],
    },
    {
      kind: "shell-profile",
      text: "# ~/.bashrc\nalias ll='ls -la'\nexport PGPASSWORD='$ommerWind7'\nexport EDITOR=vim",
      values: ["$ommerWind7"],
    },
    {
      kind: "shell-profile",
      text: "set -gx JIRA_USER p.lindqvist\nset -gx JIRA_PASSWORD Ulvsunda.torg.3",
      values: ["Ulvsunda.torg.3"],
    },
    {
      kind: "shell-profile",
      text: 'PS C:\\src\\ledger> $env:LEDGER_DB_PWD = "Gr@nny_Smith_Apple"\nPS C:\\src\\ledger> dotnet run',
      values: ["Gr@nny_Smith_Apple"],
    },
    {
      kind: "shell-profile",
      text: "C:\\Users\\tomas>setx SVN_PASSWORD bramboracka77\n\nSUCCESS: Specified value was saved.",
      values: ["bramboracka77"],
    },
    {
      kind: "package-registry",
      text: "registry=https://nexus.corp.lan/repository/npm-group/\n//nexus.corp.lan/repository/npm-group/:username=ci-reader\n//nexus.corp.lan/repository/npm-group/:_password=V29sa2VuYnJ1Y2grNDE=\n//nexus.corp.lan/repository/npm-group/:always-auth=true",
      values: ["V29sa2VuYnJ1Y2grNDE="],
    },
    {
      kind: "package-registry",
      text: "[distutils]\nindex-servers = internal\n\n[internal]\nrepository = https://pypi.corp.lan/legacy/\nusername = uploader\npassword = tusk%elephant%9",
      values: ["tusk%elephant%9"],
    },
    {
      kind: "netrc",
      text: "machine artifacts.fernweh.internal\n  login buildbot\n  password OtterPaddle.1987",
      values: ["OtterPaddle.1987"],
    },
    {
      kind: "netrc",
      text: "$ cat ~/.netrc\nmachine git.corp.lan login anja password Zwetschgenkuchen",
      values: ["Zwetschgenkuchen"],
    },
    {
      kind: "database",
      text: "# hostname:port:database:username:password\ndb1.intra:5432:*:reporting:quarterly\\:Figs",
      values: ["quarterly\\:Figs"],
    },
    {
      kind: "database",
      text: '[client]\nuser=root\npassword="blue;moon;44"\nsocket=/var/run/mysqld/mysqld.sock',
      values: ["blue;moon;44"],
    },
    {
      kind: "build-tool",
      text: "<settings>\n  <servers>\n    <server>\n      <id>nexus-releases</id>\n      <username>deployer</username>\n      <password>Puddle&amp;Jump6</password>\n    </server>\n  </servers>\n</settings>",
      values: ["Puddle&amp;Jump6"],
    },
    {
      kind: "build-tool",
      text: "org.gradle.jvmargs=-Xmx4g\nartifactoryUser=svc-gradle\nartifactoryPassword=AP6kTgQ2vLzS9eWn\nsigning.keyId=24875D73\nsigning.password=walrus in the bathtub",
      values: ["AP6kTgQ2vLzS9eWn", "walrus in the bathtub"],
    },
    {
      kind: "build-tool",
      text: '<packageSourceCredentials>\n  <CorpFeed>\n    <add key="Username" value="feed-reader" />\n    <add key="ClearTextPassword" value="Tangled_Yarn_5" />\n  </CorpFeed>\n</packageSourceCredentials>',
      values: ["Tangled_Yarn_5"],
    },
    {
      kind: "build-tool",
      text: '{\n    "http-basic": {\n        "repo.packagist.corp.lan": {\n            "username": "token",\n            "password": "57a3d3ac5403f3493acb14507d5f2e9591c66b61efeabe3ad11765ec02a6"\n        }\n    }\n}',
      values: ["57a3d3ac5403f3493acb14507d5f2e9591c66b61efeabe3ad11765ec02a6"],
    },
    {
      kind: "build-tool",
      text: "---\n:rubygems_api_key: fdbfa7f577e4dd28cb0e0b94076638a501c4983aa14298bb",
      values: ["fdbfa7f577e4dd28cb0e0b94076638a501c4983aa14298bb"],
    },
    {
      kind: "build-tool",
      text: '[registries.kellnr]\ntoken = "lDaM2apP3nE61R4qYSBHGSAGuvUxYgWm"',
      values: ["lDaM2apP3nE61R4qYSBHGSAGuvUxYgWm"],
    },
    {
      kind: "build-tool",
      text: 'credentials += Credentials("Sonatype Nexus Repository Manager", "nexus.corp.lan", "publisher", "sc4la.F0rever")',
      values: ["sc4la.F0rever"],
    },
    {
      kind: "build-tool",
      text: "$ bundle config set --global gems.corp.lan ci-user:ruby-tuesday-gone",
      values: ["ruby-tuesday-gone"],
    },
    {
      kind: "build-tool",
      text: "$ poetry config http-basic.corp mlteam 'n0 peeking here'",
      values: ["n0 peeking here"],
    },
    {
      kind: "build-tool",
      text: "storeFile=../keys/release.jks\nstorePassword=Pap1llon\nkeyAlias=upload\nkeyPassword=Chrysalide",
      values: ["Pap1llon", "Chrysalide"],
    },
    {
      kind: "container",
      text: '{\n  "auths": {\n    "registry.corp.lan:5000": {\n      "auth": "cHVzaGVyOktvcm5ibHVtZSMxMg=="\n    }\n  }\n}',
      values: ["cHVzaGVyOktvcm5ibHVtZSMxMg=="],
    },
    {
      kind: "container",
      text: 'services:\n  db:\n    image: postgres:16\n    environment:\n      - POSTGRES_USER=shop\n      - POSTGRES_PASSWORD=shopkeeper99\n    ports: ["5432:5432"]',
      values: ["shopkeeper99"],
    },
    {
      kind: "container",
      text: "  mariadb:\n    image: mariadb:11\n    environment:\n      MARIADB_DATABASE: wiki\n      MARIADB_ROOT_PASSWORD: Tr0ub-4-d0r",
      values: ["Tr0ub-4-d0r"],
    },
    {
      kind: "container",
      text: "FROM python:3.12-slim\nENV APP_HOME=/srv/app \\\n    BROKER_PASSWORD=gingham.curtain \\\n    PYTHONUNBUFFERED=1",
      values: ["gingham.curtain"],
    },
    {
      kind: "container",
      text: "docker run -d --name mq -p 5672:5672 -e RABBITMQ_DEFAULT_USER=mq -e RABBITMQ_DEFAULT_PASS=hoppelhase rabbitmq:3-management",
      values: ["hoppelhase"],
    },
    {
      kind: "container",
      text: "+ docker login -u robot-deploy -p 8d!Meadowlark registry.corp.lan\nWARNING! Using --password via the CLI is insecure. Use --password-stdin.\nLogin Succeeded",
      values: ["8d!Meadowlark"],
    },
    {
      kind: "container",
      text: "echo 'Saltwater Taffy 3' | podman login --username releng --password-stdin quay.corp.lan",
      values: ["Saltwater Taffy 3"],
    },
    {
      kind: "container",
      text: '            "Env": [\n                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",\n                "MYSQL_PASSWORD=uvB76-buzzer",\n                "MYSQL_DATABASE=radio",\n                "GOSU_VERSION=1.17"\n            ],',
      values: ["uvB76-buzzer"],
    },
    {
      kind: "kubernetes",
      text: "users:\n- name: admin@k3s\n  user:\n    token: cA3ZS7_xJ9bz-C3OLTXF1PZwHpbaFanfTi5Oj_wcOXUw",
      values: ["cA3ZS7_xJ9bz-C3OLTXF1PZwHpbaFanfTi5Oj_wcOXUw"],
    },
    {
      kind: "kubernetes",
      text: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: grafana-admin\nstringData:\n  admin-user: admin\n  admin-password: Peacock_Blue_Teapot",
      values: ["Peacock_Blue_Teapot"],
    },
    {
      kind: "kubernetes",
      text: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: pg-main\ntype: Opaque\ndata:\n  password: SG9sbHVuZGVyLVNhZnQtMw==",
      values: ["SG9sbHVuZGVyLVNhZnQtMw=="],
    },
    {
      kind: "kubernetes",
      text: "kubectl -n shop create secret generic stripe-hooks \\\n  --from-literal=webhook-secret=v8JmN3xQpLr7TzKc \\\n  --dry-run=client -o yaml",
      values: ["v8JmN3xQpLr7TzKc"],
    },
    {
      kind: "kubernetes",
      text: "$ kubectl get secret argocd-initial-admin-secret -n argocd -o jsonpath='{.data.password}' | base64 -d; echo\nvKq2RtYb7LmXeW4s",
      values: ["vKq2RtYb7LmXeW4s"],
    },
    {
      kind: "kubernetes",
      text: '        env:\n        - name: ELASTIC_PASSWORD\n          value: "Wattwurm"\n        - name: ELASTIC_HOST\n          value: es-main',
      values: ["Wattwurm"],
    },
    {
      kind: "kubernetes",
      text: "helm upgrade --install minio bitnami/minio --set auth.rootUser=minio,auth.rootPassword=granite-Bucket-8 -n storage",
      values: ["granite-Bucket-8"],
    },
    {
      kind: "kubernetes",
      text: 'postgresql:\n  auth:\n    username: hub\n    password: "it\'s raining frogs"\n    database: hub',
      values: ["it's raining frogs"],
    },
    {
      kind: "infra",
      text: 'region            = "eu-north-1"\ndb_admin_user     = "dbadmin"\ndb_admin_password = "Fjällräven-19"',
      values: ["Fjällräven-19"],
    },
    {
      kind: "infra",
      text: '            "engine": "postgres",\n            "master_password": "Lk4#tR_uu9&vQ",\n            "master_username": "root",\n            "port": 5432,',
      values: ["Lk4#tR_uu9&vQ"],
    },
    {
      kind: "infra",
      text: '  # azurerm_mssql_server.main will be updated in-place\n  ~ resource "azurerm_mssql_server" "main" {\n      ~ administrator_login_password = "Herbstlaub_22" -> "Winterreise_23"\n        name                         = "sql-main"\n    }',
      values: ["Herbstlaub_22", "Winterreise_23"],
    },
    {
      kind: "infra",
      text: "[switches]\nsw-01 ansible_host=10.9.1.2 ansible_user=netops ansible_ssh_pass=Patchpanel24 ansible_connection=network_cli",
      values: ["Patchpanel24"],
    },
    {
      kind: "infra",
      text: 'ansible-playbook site.yml -i hosts -e "ansible_become_pass=w00denSpoon" --limit web',
      values: ["w00denSpoon"],
    },
    {
      kind: "infra",
      text: 'ok: [db1] => {"changed": false, "invocation": {"module_args": {"login_user": "root", "login_password": "pomegranate@dawn", "state": "present"}}}',
      values: ["pomegranate@dawn"],
    },
    {
      kind: "infra",
      text: "profile::postgres::version: '15'\nprofile::postgres::superuser_password: 'Möwenschiss!'",
      values: ["Möwenschiss!"],
    },
    {
      kind: "infra",
      text: '{\n  "id": "smtp",\n  "relay_user": "chef-mail",\n  "relay_passwd": "SoupOfTheDay"\n}',
      values: ["SoupOfTheDay"],
    },
    {
      kind: "infra",
      text: "mysql:\n  server:\n    root_user: 'admin'\n    root_password: |\n      Quietly, Flows the Don",
      values: ["Quietly, Flows the Don"],
    },
    {
      kind: "infra",
      text: '[Service]\nExecStart=/opt/syncd/bin/syncd\nEnvironment="SYNC_PASSPHRASE=lantern fish 20000"\nRestart=always',
      values: ["lantern fish 20000"],
    },
    {
      kind: "infra",
      text: "$ systemctl show vaultsync -p Environment\nEnvironment=RUST_LOG=info BACKUP_PASSWORD=Gletscherspalte TZ=UTC",
      values: ["Gletscherspalte"],
    },
    {
      kind: "infra",
      text: "lang en_US.UTF-8\nrootpw --plaintext Barracuda!7\ntimezone Europe/Oslo",
      values: ["Barracuda!7"],
    },
    {
      kind: "infra",
      text: "d-i passwd/username string deploy\nd-i passwd/user-password password kringle9\nd-i passwd/user-password-again password kringle9",
      values: ["kringle9"],
    },
    {
      kind: "infra",
      text: "<AutoLogon>\n  <Password>\n    <Value>L0bsterRoll</Value>\n    <PlainText>true</PlainText>\n  </Password>\n  <Username>Administrator</Username>\n</AutoLogon>",
      values: ["L0bsterRoll"],
    },
    {
      kind: "infra",
      text: 'source "vsphere-iso" "win" {\n  vcenter_server   = "vc.corp.lan"\n  username         = "packer@vsphere.local"\n  password         = "Under_Milk_Wood"\n  winrm_password   = "ap3r1t1v0"\n}',
      values: ["Under_Milk_Wood", "ap3r1t1v0"],
    },
    {
      kind: "infra",
      text: "aws cloudformation create-stack --stack-name pay --template-body file://pay.yml --parameters ParameterKey=DBUser,ParameterValue=pay ParameterKey=DBPassword,ParameterValue=Zinnober4711",
      values: ["Zinnober4711"],
    },
    { kind: "infra", text: "$ pulumi config set dbPassword 'S1lent-N1ght' --secret", values: ["S1lent-N1ght"] },
    {
      kind: "infra",
      text: '  config.ssh.username = "vagrant"\n  config.ssh.password = "tumbleweed"\n  config.vm.synced_folder ".", "/vagrant", type: "smb", smb_username: "ola", smb_password: "fiskeboller"',
      values: ["tumbleweed", "fiskeboller"],
    },
    {
      kind: "infra",
      text: '  users.users.marit = {\n    isNormalUser = true;\n    password = "brunost og vafler";\n    extraGroups = [ "wheel" ];\n  };',
      values: ["brunost og vafler"],
    },
    {
      kind: "cloud-cli",
      text: '$ az ad sp create-for-rbac -n gh-deployer\n{\n  "appId": "7c3f0b9e-51d7-4b3c-9d0c-3f9ab0e2c6d1",\n  "displayName": "gh-deployer",\n  "password": "8f48Q~nKTRULeIkAMHMLKBCj8zKWiYyfFxcIHiBP",\n  "tenant": "0e9d3a52-8c41-4f77-a1cf-5d6f8f2f1b22"\n}',
      values: ["8f48Q~nKTRULeIkAMHMLKBCj8zKWiYyfFxcIHiBP"],
    },
    {
      kind: "cloud-cli",
      text: 'AZURE_STORAGE_CONNECTION_STRING="DefaultEndpointsProtocol=https;AccountName=stlogs01;AccountKey=1SFazlSgMn6UeWAsa12LZ7O6nH+4XVh9NO7K0sblH7cQICAyrdvjsoJ7f0OzTZd+sq97L+iLd1jmL2aSwdHjtJ==;EndpointSuffix=core.windows.net"',
      values: ["1SFazlSgMn6UeWAsa12LZ7O6nH+4XVh9NO7K0sblH7cQICAyrdvjsoJ7f0OzTZd+sq97L+iLd1jmL2aSwdHjtJ=="],
    },
    {
      kind: "cloud-cli",
      text: "az sql server create -g rg-data -n sqlmain01 -u sqladmin -p Nebelhorn2021! -l westeurope",
      values: ["Nebelhorn2021!"],
    },
    {
      kind: "cloud-cli",
      text: "aws rds create-db-instance --db-instance-identifier crm --engine mysql \\\n    --master-username crm \\\n    --master-user-password hedgehog.in.the.fog \\\n    --allocated-storage 20",
      values: ["hedgehog.in.the.fog"],
    },
    {
      kind: "cloud-cli",
      text: '{\n    "ARN": "arn:aws:secretsmanager:eu-west-1:481516234201:secret:prod/api/db-Ab3dQz",\n    "Name": "prod/api/db",\n    "SecretString": "{\\"username\\":\\"api\\",\\"password\\":\\"rT7-kelp-Forest\\",\\"port\\":5432}",\n    "VersionStages": ["AWSCURRENT"]\n}',
      values: ["rT7-kelp-Forest"],
    },
    {
      kind: "cloud-cli",
      text: "aws ssm put-parameter --name /prod/ldap/bind_password --type SecureString --overwrite --value '=Cinder+Block='",
      values: ["=Cinder+Block="],
    },
    {
      kind: "cloud-cli",
      text: "$ gcloud secrets versions access latest --secret=smtp-password --project=kite-prod\nPersimmon-Ladder-Quartz\n$",
      values: ["Persimmon-Ladder-Quartz"],
    },
    {
      kind: "cloud-cli",
      text: "gcloud sql users set-password reporting --instance=bi-eu --password=f1gm3nt",
      values: ["f1gm3nt"],
    },
    {
      kind: "cloud-cli",
      text: "$ heroku config -a kettle-api\n=== kettle-api Config Vars\nLOG_LEVEL:        info\nREDIS_PASSWORD:   pfd255ecefe02c0e04a239edf2234341c0f585d5ecba93cdb974dfb05fd01e17a\nWEB_CONCURRENCY:  2",
      values: ["pfd255ecefe02c0e04a239edf2234341c0f585d5ecba93cdb974dfb05fd01e17a"],
    },
    {
      kind: "cloud-cli",
      text: 'fly secrets set ADMIN_PASSPHRASE="never eat shredded wheat" --app kettle',
      values: ["never eat shredded wheat"],
    },
    {
      kind: "cloud-cli",
      text: 'gh secret set DEPLOY_SSH_PASS --repo kettle/web --body "Mühlenbach7"',
      values: ["Mühlenbach7"],
    },
    {
      kind: "cloud-cli",
      text: "printf %s 'umbrella//stand//9' | npx wrangler secret put HMAC_SIGNING_SECRET",
      values: ["umbrella//stand//9"],
    },
    {
      kind: "cloud-cli",
      text: "vault kv put secret/teams/bi dbuser=metabase dbpass=!nT0the!W00ds",
      values: ["!nT0the!W00ds"],
    },
    {
      kind: "cloud-cli",
      text: "$ vault kv get secret/teams/ops/switches\n====== Data ======\nKey         Value\n---         -----\npassword    blackcurrant-Jam\nusername    netadmin",
      values: ["blackcurrant-Jam"],
    },
    {
      kind: "cloud-cli",
      text: '$ op item get "Router Keller" --reveal\nID:          kq5xn3z7w2u4h6a8c9e1g3i5k7\nTitle:       Router Keller\nFields:\n  username:    admin\n  password:    Dachs.Bau.17',
      values: ["Dachs.Bau.17"],
    },
    {
      kind: "cloud-cli",
      text: "$ pass show infra/idrac-rack4\nEff1g-Pr1est\nuser: root\nurl: https://10.0.4.40",
      values: ["Eff1g-Pr1est"],
    },
    {
      kind: "cloud-cli",
      text: '{"object":"item","name":"Hetzner Robot","login":{"username":"K0339","password":"\\"Ahoi\\" brause","totp":null}}',
      values: ['\\"Ahoi\\" brause'],
    },
    {
      kind: "framework",
      text: '{\n  "ConnectionStrings": {\n    "Default": "Server=tcp:sql01,1433;Database=Ledger;User Id=ledger;Password=Tintenfass^9;Encrypt=True;"\n  }\n}',
      values: ["Tintenfass^9"],
    },
    {
      kind: "framework",
      text: '<add name="Warehouse" connectionString="Driver={SQL Server};Server=wh01;Uid=wh_reader;Pwd=Oat-meal-Stout;" providerName="System.Data.Odbc" />',
      values: ["Oat-meal-Stout"],
    },
    {
      kind: "framework",
      text: "spring:\n  datasource:\n    url: jdbc:postgresql://pg:5432/claims\n    username: claims\n    password: @Seaside.Rendezvous",
      values: ["@Seaside.Rendezvous"],
    },
    {
      kind: "framework",
      text:
        "server.ssl.ke" +
        "y-store=classpath:tls.p12\nserver.ssl.ke" +
        "y-store-password=hopscotch\nspring.mail.password=ab12-CD34-ef56",
      values: ["hopscotch", "ab12-CD34-ef56"],
    },
    {
      kind: "framework",
      text: 'DATABASES = {\n    "default": {\n        "ENGINE": "django.db.backends.postgresql",\n        "USER": "polls",\n        "PASSWORD": "elektrik_blau",\n        "HOST": "db",\n    }\n}',
      values: ["elektrik_blau"],
    },
    {
      kind: "framework",
      text: "# settings.py\nDEBUG = False\nSECRET_KEY = ')z7t$k0_v%3n!e8^w(2jx@4qh#u-f1=a+gl&y6m*dr9sbpc5oi'",
      values: [")z7t$k0_v%3n!e8^w(2jx@4qh#u-f1=a+gl&y6m*dr9sbpc5oi"],
    },
    {
      kind: "framework",
      text: 'production:\n  adapter: mysql2\n  username: shop\n  password: "quoted" kumquat\n  host: 10.2.2.9',
      values: ['"quoted" kumquat'],
    },
    {
      kind: "framework",
      text: "'mysql' => [\n    'driver' => 'mysql',\n    'username' => 'forge',\n    'password' => 'anvil\\'s Edge',\n],",
      values: ["anvil\\'s Edge"],
    },
    {
      kind: "framework",
      text: "define( 'DB_USER', 'wp_prod' );\ndefine( 'DB_PASSWORD', 'Gänseblümchen_6' );\ndefine( 'AUTH_KEY', 'k,8Vw}Zt>R1 q~Lp@x:9/dM]e2|cY' );",
      values: ["Gänseblümchen_6", "k,8Vw}Zt>R1 q~Lp@x:9/dM]e2|cY"],
    },
    {
      kind: "framework",
      text: 'config :inbox, Inbox.Repo,\n  username: "inbox",\n  password: "parsnip.puree",\n  pool_size: 10',
      values: ["parsnip.puree"],
    },
    {
      kind: "framework",
      text: '<tomcat-users>\n  <role rolename="manager-gui"/>\n  <user username="ops" password="c4tal1na" roles="manager-gui"/>\n</tomcat-users>',
      values: ["c4tal1na"],
    },
    {
      kind: "framework",
      text: "[options]\naddons_path = /mnt/extra-addons\nadmin_passwd = Ziegelstein\ndb_host = db",
      values: ["Ziegelstein"],
    },
    {
      kind: "framework",
      text: 'slick.dbs.default.db {\n  user = "play"\n  password = "curtain~call~3"\n}',
      values: ["curtain~call~3"],
    },
    {
      kind: "framework",
      text: "const transport = nodemailer.createTransport({\n  host: 'mail.corp.lan',\n  auth: { user: 'noreply', pass: 'pigeon post 1870' },\n});",
      values: ["pigeon post 1870"],
    },
    {
      kind: "framework",
      text: 'User.find_or_create_by!(email: "ops@kettle.test") { |u| u.password = "Sesame&Lilies"; u.admin = true }',
      values: ["Sesame&Lilies"],
    },
    {
      kind: "source-code",
      text: 'auth := smtp.PlainAuth("", "alerts@kettle.test", "Velvet.Underdog", "smtp.kettle.test")',
      values: ["Velvet.Underdog"],
    },
    {
      kind: "source-code",
      text: 'cfg := Config{\n\tAddr:     "10.1.1.8:6379",\n\tPassword: "n1ghtjar",\n\tDB:       2,\n}',
      values: ["n1ghtjar"],
    },
    {
      kind: "source-code",
      text: 'let res = client.get(url).basic_auth("metrics", Some("crab-nebula-1054")).send().await?;',
      values: ["crab-nebula-1054"],
    },
    {
      kind: "source-code",
      text: 'const MASTER_PASSPHRASE: &str = "the owls are not what they seem";',
      values: ["the owls are not what they seem"],
    },
    {
      kind: "source-code",
      text: 'Connection c = DriverManager.getConnection("jdbc:oracle:thin:@//ora1:1521/HR", "hr", "Bratapfel12");',
      values: ["Bratapfel12"],
    },
    {
      kind: "source-code",
      text: 'HikariDataSource ds = new HikariDataSource();\nds.setUsername("ticketing");\nds.setPassword("box.office.hit");',
      values: ["box.office.hit"],
    },
    {
      kind: "source-code",
      text: 'using var smtp = new SmtpClient("relay") { Credentials = new NetworkCredential("svc_mail", "Kettle$Black") };',
      values: ["Kettle$Black"],
    },
    {
      kind: "source-code",
      text: '$sec = ConvertTo-SecureString "Moorhuhn_Jagd" -AsPlainText -Force\n$cred = New-Object System.Management.Automation.PSCredential("CORP\\svc_scan", $sec)',
      values: ["Moorhuhn_Jagd"],
    },
    {
      kind: "source-code",
      text: 'with smtplib.SMTP_SSL("imap.kettle.test", 465) as server:\n    server.login("newsletter@kettle.test", "peppermint tea 4 two")',
      values: ["peppermint tea 4 two"],
    },
    {
      kind: "source-code",
      text: 'ssh.connect("10.20.0.5", username="pi", password="himbeerkuchen", timeout=5)',
      values: ["himbeerkuchen"],
    },
    {
      kind: "source-code",
      text: 'r = requests.get("https://jenkins.corp.lan/api/json", auth=HTTPBasicAuth("kai", "Bollerwagen!"))',
      values: ["Bollerwagen!"],
    },
    {
      kind: "source-code",
      text: 'REDIS_PASSWORD = os.environ.get("REDIS_PASSWORD", "toffee-Hammer-21")',
      values: ["toffee-Hammer-21"],
    },
    {
      kind: "source-code",
      text: 'my $dbh = DBI->connect("dbi:mysql:database=isp;host=radius1", "radius", "R4dieschen", { RaiseError => 1 });',
      values: ["R4dieschen"],
    },
    {
      kind: "source-code",
      text: "$mail->Host     = 'smtp.kettle.test';\n$mail->Username = 'shop';\n$mail->Password = 'Ding-Dong-Bell';",
      values: ["Ding-Dong-Bell"],
    },
    {
      kind: "source-code",
      text: 'Net::FTP.open("ftp.printshop.test", "upload", "inkwell_Sq1d") { |f| f.putbinaryfile("poster.pdf") }',
      values: ["inkwell_Sq1d"],
    },
    {
      kind: "source-code",
      text: 'return {\n  host = "db",\n  user = "game",\n  password = [[dragon]scale]5]],\n}',
      values: ["dragon]scale]5"],
    },
    {
      kind: "source-code",
      text: '{:db-spec {:dbtype "postgresql" :user "mono" :password "lambda-lamb-chop"}}',
      values: ["lambda-lamb-chop"],
    },
    {
      kind: "source-code",
      text: '(setq erc-nickserv-passwords \'((libera (("kjell" . "surstromming")))))',
      values: ["surstromming"],
    },
    {
      kind: "source-code",
      text: '{mysql, [{host, "db1"}, {user, "ejabberd"}, {password, "Rotkehlchen3"}]}.',
      values: ["Rotkehlchen3"],
    },
    {
      kind: "source-code",
      text: 'conn.Open "Provider=SQLOLEDB;Data Source=fin01;Initial Catalog=GL;User ID=excel;Password=Spreadsh33t!;"',
      values: ["Spreadsh33t!"],
    },
    {
      kind: "source-code",
      text: 'con <- dbConnect(RPostgres::Postgres(), host = "wh", user = "analyst", password = "ggplot4ever")',
      values: ["ggplot4ever"],
    },
    {
      kind: "source-code",
      text: "conn = database('sensors','labuser','osc1llat0r','Vendor','PostgreSQL','Server','lab-db');",
      values: ["osc1llat0r"],
    },
    {
      kind: "source-code",
      text: "//NIGHTLY  JOB (ACCT),'BATCH RUN',CLASS=A,MSGCLASS=X,\n//         USER=OPSUSR,PASSWORD=FROGGY7",
      values: ["FROGGY7"],
    },
    { kind: "source-code", text: "CHGUSRPRF USRPRF(QSECOFR) PASSWORD(M1DRANGE)", values: ["M1DRANGE"] },
    {
      kind: "source-code",
      text: '#include <WiFi.h>\nconst char* ssid     = "Gartenhaus";\nconst char* password = "Gurkensalat2020";',
      values: ["Gurkensalat2020"],
    },
    {
      kind: "source-code",
      text: '#define MQTT_USER "weather"\n#define MQTT_PASS "drizzle_&_hail"',
      values: ["drizzle_&_hail"],
    },
    {
      kind: "source-code",
      text: 'let adminPassword = "Cupertino.Rain" // TODO move to keychain before release',
      values: ["Cupertino.Rain"],
    },
    {
      kind: "source-code",
      text: "// temp login for QA box: qa_lead / Bubblegum-Tuesday  (password until Friday)\nfunction openQaBox() {}",
      values: ["Bubblegum-Tuesday"],
    },
    {
      kind: "browser-automation",
      text: "await page.getByLabel('E-Mail').fill('mira@kettle.test');\nawait page.getByLabel('Password').fill('Sonnenblume+5');",
      values: ["Sonnenblume+5"],
    },
    {
      kind: "browser-automation",
      text: "cy.get('input[name=\"password\"]').type('jellyfish.avenue{enter}')",
      values: ["jellyfish.avenue"],
    },
    {
      kind: "browser-automation",
      text: "Input Text        id:username    demo_manager\nInput Password    id:password    Krokodil am Nil",
      values: ["Krokodil am Nil"],
    },
    {
      kind: "browser-automation",
      text: '{"type":"tool_use","name":"browser_type","input":{"element":"Password field","ref":"e41","text":"Hammock!Season","submit":true}}',
      values: ["Hammock!Season"],
    },
    {
      kind: "wifi-vpn",
      text: 'network={\n    ssid="Dachboden"\n    psk="vier Katzen im Sack"\n    key_mgmt=WPA-PSK\n}',
      values: ["vier Katzen im Sack"],
    },
    {
      kind: "wifi-vpn",
      text: '  wifis:\n    wlan0:\n      access-points:\n        "IoT-Net":\n          password: "20190731"',
      values: ["20190731"],
    },
    { kind: "wifi-vpn", text: "[wifi-security]\nke" + "y-mgmt=wpa-psk\npsk=5TromBoli", values: ["5TromBoli"] },
    {
      kind: "wifi-vpn",
      text: 'nmcli dev wifi connect "Cafe Morgenrot" password cappuccino4you',
      values: ["cappuccino4you"],
    },
    {
      kind: "wifi-vpn",
      text: "interface=wlan1\nssid=FieldLab\nwpa_passphrase=muddy.boots.only",
      values: ["muddy.boots.only"],
    },
    {
      kind: "wifi-vpn",
      text: "Gäste-WLAN als QR: WIFI:T:WPA;S:Pension Edelweiss;P:Almdudler2024;;",
      values: ["Almdudler2024"],
    },
    {
      kind: "wifi-vpn",
      text: "[Interface]\nAddress = 10.66.0.4/32\nPrivateKey = uXYhw9JRC6fQarCOH+jszkTYUhEztDANgL3KOLmnDj8=\n\n[Peer]\nPublicKey = Qf0mJt0tFh3y4vVb7e0bq0rJx8fUq0uS5l6n1s2Tq3E=\nPresharedKey = FVUSRlBpM6O/dX0+pDPSr8bqJprF5XeKtYMgF1CQCLk=\nEndpoint = vpn.kettle.test:51820",
      values: ["uXYhw9JRC6fQarCOH+jszkTYUhEztDANgL3KOLmnDj8=", "FVUSRlBpM6O/dX0+pDPSr8bqJprF5XeKtYMgF1CQCLk="],
    },
    {
      kind: "wifi-vpn",
      text: "$ cat /etc/openvpn/client/auth-user-pass.txt\nh.svensson\nMidsommar-Stång",
      values: ["Midsommar-Stång"],
    },
    {
      kind: "wifi-vpn",
      text: '# /etc/ipsec.secrets\n203.0.113.9 198.51.100.4 : PSK "tunnel-Vision-0815"',
      values: ["tunnel-Vision-0815"],
    },
    {
      kind: "wifi-vpn",
      text: "# client   server   secret           IP addresses\nbranch04   *        gurgle!Brook     *",
      values: ["gurgle!Brook"],
    },
    {
      kind: "wifi-vpn",
      text: "Security settings\n-----------------\n    Authentication         : WPA2-Personal\n    Cipher                 : CCMP\n    Security key           : Present\n    Key Content            : MerryGoRound",
      values: ["MerryGoRound"],
    },
    {
      kind: "wifi-vpn",
      text: '# secrets.yaml\nwifi_ssid: "Werkstatt"\nwifi_password: "schraubenzieher"\nota_password: "3a11d4ccdc71de74231da252e6ed67c6"',
      values: ["schraubenzieher", "3a11d4ccdc71de74231da252e6ed67c6"],
    },
    {
      kind: "wifi-vpn",
      text: "openconnect --user=fwirth --passwd-on-stdin vpn.kettle.test <<'EOF'\nRegenschirm im Mai\nEOF",
      values: ["Regenschirm im Mai"],
    },
    {
      kind: "mail",
      text: "# /etc/postfix/sasl_passwd\n[smtp.relay.test]:587    outbound@kettle.test:wax/seal/1703",
      values: ["wax/seal/1703"],
    },
    {
      kind: "mail",
      text: "account work\nhost smtp.kettle.test\nuser dana\npassword Quittengelee",
      values: ["Quittengelee"],
    },
    {
      kind: "mail",
      text: 'IMAPAccount home\nHost imap.kettle.test\nUser dana\nPass "p!ckled_beets"',
      values: ["p!ckled_beets"],
    },
    {
      kind: "mail",
      text: 'set imap_user = "dana@kettle.test"\nset imap_pass = "inbox zero hero"',
      values: ["inbox zero hero"],
    },
    {
      kind: "mail",
      text: 'poll pop.kettle.test proto pop3 user "orders" there with password "lemonTart" is "orders" here',
      values: ["lemonTart"],
    },
    {
      kind: "mail",
      text: "swaks --to ops@kettle.test --server smtp.kettle.test --auth LOGIN --auth-user bot --auth-password 'Ping!Pong!'",
      values: ["Ping!Pong!"],
    },
    {
      kind: "mail",
      text: "250-AUTH PLAIN LOGIN\nC: AUTH PLAIN AGJvdABDaGVycnkqU3RvbmU=\nS: 235 2.7.0 Authentication successful",
      values: ["AGJvdABDaGVycnkqU3RvbmU="],
    },
    {
      kind: "mail",
      text: "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] Dovecot ready.\na1 LOGIN warehouse@kettle.test ForkL1ft\na1 OK Logged in",
      values: ["ForkL1ft"],
    },
    {
      kind: "vcs",
      text: "[auth]\ncorp.prefix = https://hg.corp.lan/\ncorp.username = lior\ncorp.password = mercury.rising",
      values: ["mercury.rising"],
    },
    {
      kind: "vcs",
      text: "svn checkout https://svn.corp.lan/repos/cad/trunk --username cadbot --password drawbridge --non-interactive",
      values: ["drawbridge"],
    },
    {
      kind: "vcs",
      text: "$ printf 'protocol=https\\nhost=git.corp.lan\\n' | git credential fill\nprotocol=https\nhost=git.corp.lan\nusername=sofie\npassword=Rugbrød&Sild",
      values: ["Rugbrød&Sild"],
    },
    {
      kind: "vcs",
      text: "--- a/config/prod.yml\n+++ b/config/prod.yml\n@@ -4,3 +4,3 @@ queue:\n   user: worker\n-  password: Bernstein19\n+  password: Jaspis20\n   vhost: /",
      values: ["Bernstein19", "Jaspis20"],
    },
    {
      kind: "vcs",
      text: "commit 1bf9ec26c2b10ccec6c4b0ddd0f7f377d69a2a19\nAuthor: Nils <nils@kettle.test>\n\n    add importer credentials\n\n+IMPORTER_LOGIN = 'importer'\n+IMPORTER_PASSWD = 'knapsack.problem'",
      values: ["knapsack.problem"],
    },
    {
      kind: "storage",
      text: "[nas]\ntype = webdav\nurl = https://nas.kettle.test/dav\nuser = backup\npass = SJiqeBvV6PwzlbjcybN6ASGCB2YkVpdCVrzioA",
      values: ["SJiqeBvV6PwzlbjcybN6ASGCB2YkVpdCVrzioA"],
    },
    {
      kind: "storage",
      text: "RESTIC_PASSWORD='seven swans a-swimming' restic -r sftp:bk@nas:/srv/restic snapshots",
      values: ["seven swans a-swimming"],
    },
    {
      kind: "storage",
      text: "//nas/share /mnt/share cifs username=media,password=popcorn.night,uid=1000 0 0",
      values: ["popcorn.night"],
    },
    { kind: "storage", text: "smbclient //files/public -U 'CORP\\jana%Knoblauch!' -c 'ls'", values: ["Knoblauch!"] },
    {
      kind: "storage",
      text: "C:\\>net use Z: \\\\files\\finance Q4closing# /user:CORP\\mhuber /persistent:no\nThe command completed successfully.",
      values: ["Q4closing#"],
    },
    {
      kind: "storage",
      text: 'lftp -u webmaster,f1sh_n_chips -e "mirror -R dist/ /www; quit" ftp.hoster.test',
      values: ["f1sh_n_chips"],
    },
    {
      kind: "storage",
      text: '{\n  "name": "live",\n  "host": "ftp.hoster.test",\n  "protocol": "ftp",\n  "username": "web12",\n  "password": "Tr3ib+Holz",\n  "uploadOnSave": true\n}',
      values: ["Tr3ib+Holz"],
    },
    {
      kind: "storage",
      text: '<Server>\n  <Host>ftp.hoster.test</Host>\n  <User>web12</User>\n  <Pass encoding="base64">TGF2ZW5kZWwlRmVsZA==</Pass>\n</Server>',
      values: ["TGF2ZW5kZWwlRmVsZA=="],
    },
    {
      kind: "storage",
      text: "mc alias set lab http://minio.lab:9000 labadmin centrifuge-5000",
      values: ["centrifuge-5000"],
    },
    {
      kind: "database",
      text: "redis-cli -h cache.intra -p 6379 -a moonpenny --no-auth-warning INFO keyspace",
      values: ["moonpenny"],
    },
    {
      kind: "database",
      text: "# redis.conf\nbind 0.0.0.0\nrequirepass g3r4n1um_p0t\nappendonly yes",
      values: ["g3r4n1um_p0t"],
    },
    { kind: "database", text: "cache.intra:6379> AUTH worker Dandelion-Clock\nOK", values: ["Dandelion-Clock"] },
    {
      kind: "database",
      text: 'db.createUser({ user: "app", pwd: "Trockenbau&Co", roles: [{ role: "readWrite", db: "inventory" }] })',
      values: ["Trockenbau&Co"],
    },
    {
      kind: "database",
      text: "MONGO_URL=mongodb://app:p%40per%3Aclip@m1.intra:27017,m2.intra:27017/inventory?replicaSet=rs0",
      values: ["p%40per%3Aclip"],
    },
    {
      kind: "database",
      text: "CREATE USER 'etl'@'10.%' IDENTIFIED BY 'Butterblume 12';\nGRANT SELECT ON sales.* TO 'etl'@'10.%';",
      values: ["Butterblume 12"],
    },
    {
      kind: "database",
      text: "postgres=# ALTER ROLE metabase WITH LOGIN PASSWORD 'o''clock-Chimes';\nALTER ROLE",
      values: ["o''clock-Chimes"],
    },
    {
      kind: "database",
      text: "CREATE LOGIN [svc_report] WITH PASSWORD = N'Pfingstrose!1', CHECK_POLICY = OFF;",
      values: ["Pfingstrose!1"],
    },
    {
      kind: "database",
      text: "/opt/mssql-tools/bin/sqlcmd -S localhost -U sa -P 'Darjeel1ng-Tea' -Q \"SELECT 1\"",
      values: ["Darjeel1ng-Tea"],
    },
    { kind: "database", text: "sqlplus scott/Leopard9@//ora1.intra:1521/ORCLPDB1", values: ["Leopard9"] },
    { kind: "database", text: "ALTER USER hr_app IDENTIFIED BY Sn0wdr1ft ACCOUNT UNLOCK;", values: ["Sn0wdr1ft"] },
    {
      kind: "database",
      text: "docker run --rm -p7474:7474 -e NEO4J_AUTH=neo4j/bacon-number-six neo4j:5",
      values: ["bacon-number-six"],
    },
    {
      kind: "database",
      text: "mysqldump -h db1 -u backup -pWollmaus --single-transaction shop | gzip > shop.sql.gz",
      values: ["Wollmaus"],
    },
    {
      kind: "database",
      text: "psql \"host=pg1 port=5432 dbname=crm user=crm_ro password=tea-cosy sslmode=require\" -c '\\dt'",
      values: ["tea-cosy"],
    },
    {
      kind: "database",
      text: 'DATABASE_URL="postgres://billing:Aurora.Borealis@pg1.intra:5432/billing?sslmode=disable"',
      values: ["Aurora.Borealis"],
    },
    {
      kind: "database",
      text: "url=jdbc:mysql://db2:3306/forum?user=forum&password=TrollBridge8&useSSL=false",
      values: ["TrollBridge8"],
    },
    {
      kind: "database",
      text: 'cqlsh cass1.intra 9042 -u cassandra -p prophecy -e "DESCRIBE KEYSPACES"',
      values: ["prophecy"],
    },
    {
      kind: "database",
      text: "$ bin/elasticsearch-reset-password -u elastic\nThis tool will reset the password of the [elastic] user to an autogenerated value.\nPlease confirm that you would like to continue [y/N]y\n\nPassword for the [elastic] user successfully reset.\nNew value: q*R2tY_w+B7uLs0mEx=d",
      values: ["q*R2tY_w+B7uLs0mEx=d"],
    },
    {
      kind: "database",
      text: 'clickhouse-client --host ch1 --user ingest --password /slashdot/era/ --query "SELECT count() FROM hits"',
      values: ["/slashdot/era/"],
    },
    {
      kind: "database",
      text: "mysql> SELECT id, login, passwd FROM legacy_users LIMIT 3;\n+----+---------+--------------+\n| id | login   | passwd       |\n+----+---------+--------------+\n|  1 | gerda   | Sauerkraut   |\n|  2 | holger  | St.Pauli1910 |\n|  3 | ilse    | Nähkästchen  |\n+----+---------+--------------+\n3 rows in set (0.00 sec)",
      values: ["Sauerkraut", "St.Pauli1910", "Nähkästchen"],
    },
    {
      kind: "database",
      text: "-[ RECORD 1 ]--+---------------------\naccount        | ftp-partner-7\nftp_password   | coralReef_depth\nlast_sync      | 2024-02-11 04:00:01",
      values: ["coralReef_depth"],
    },
    {
      kind: "database",
      text: "INSERT INTO mail_accounts (address, password, quota) VALUES ('info@kettle.test', 'Teekanne.voll', 2048);",
      values: ["Teekanne.voll"],
    },
    {
      kind: "database",
      text: "SNOWSQL_PWD=Powder*Day*Off snowsql -a kx12345.eu-central-1 -u LOADER -d RAW",
      values: ["Powder*Day*Off"],
    },
    {
      kind: "messaging",
      text: 'rabbitmqctl add_user shovel dig.dug.82\nrabbitmqctl set_permissions -p / shovel ".*" ".*" ".*"',
      values: ["dig.dug.82"],
    },
    {
      kind: "messaging",
      text: 'sasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="connect" password="metamorphosis_1915";',
      values: ["metamorphosis_1915"],
    },
    {
      kind: "directory",
      text: 'ldapsearch -x -H ldap://dc1.intra -D "cn=reader,dc=corp,dc=lan" -w Wurzelwerk5 -b dc=corp,dc=lan "(uid=mo)"',
      values: ["Wurzelwerk5"],
    },
    {
      kind: "directory",
      text: "dn: uid=mo,ou=people,dc=corp,dc=lan\nchangetype: modify\nreplace: userPassword\nuserPassword: Tiramisu per Due",
      values: ["Tiramisu per Due"],
    },
    {
      kind: "directory",
      text: 'bob     Cleartext-Password := "builder_can_we"\n        Reply-Message := "Hello, %{User-Name}"',
      values: ["builder_can_we"],
    },
    { kind: "directory", text: "echo 'deploy:Tannenzapfen' | sudo chpasswd", values: ["Tannenzapfen"] },
    {
      kind: "directory",
      text: "PS> net user backupadm Zitronenfalter! /add /expires:never",
      values: ["Zitronenfalter!"],
    },
    {
      kind: "directory",
      text: "samba-tool user setpassword mo --newpassword='Ein^Hut^Stock'",
      values: ["Ein^Hut^Stock"],
    },
    {
      kind: "network",
      text: "hostname core-sw1\nenable secret 0 Spanning-Tr33\nusername netops privilege 15 password 0 trunkline",
      values: ["Spanning-Tr33", "trunkline"],
    },
    {
      kind: "network",
      text: "snmpwalk -v3 -l authPriv -u monitor -a SHA -A 'walkers.crisps' -x AES -X 'salt n vinegar' 10.0.0.1 system",
      values: ["walkers.crisps", "salt n vinegar"],
    },
    {
      kind: "network",
      text: "/user add name=remote group=full password=latvian.winter\n/interface wireless security-profiles set [ find default=yes ] wpa2-pre-shared-key=Riga1201riga",
      values: ["latvian.winter", "Riga1201riga"],
    },
    {
      kind: "network",
      text: "ipmitool -I lanplus -H 10.0.8.21 -U ADMIN -P fanNoise chassis power status",
      values: ["fanNoise"],
    },
    {
      kind: "network",
      text: "config interface 'wan'\n\toption proto 'pppoe'\n\toption username 'h2-4711@t-dsl.test'\n\toption password '63018842'",
      values: ["63018842"],
    },
    {
      kind: "remote",
      text: "sshpass -p 'Mangrove Swamp' ssh -o StrictHostKeyChecking=no root@10.0.3.3 uptime",
      values: ["Mangrove Swamp"],
    },
    {
      kind: "remote",
      text: 'spawn ssh admin@fw1\nexpect "password:"\nsend "heimdall\\$gate\\r"',
      values: ["heimdall\\$gate"],
    },
    {
      kind: "remote",
      text: 'xfreerdp /v:ts1.corp.lan /u:CORP\\\\lea /p:Löwenzahn /size:1600x900\n@@ remote sudo-S\necho "tugboat" | sudo -S apt-get update',
      values: ["Löwenzahn", "tugboat"],
    },
    { kind: "remote", text: "x11vnc -display :0 -passwd n0vnc4u -forever", values: ["n0vnc4u"] },
    {
      kind: "remote",
      text: 'plink.exe -ssh ops@10.0.3.9 -pw greenhouse\'gas "show version"',
      values: ["greenhouse'gas"],
    },
    {
      kind: "crypto-tool",
      text: "openssl pkcs12 -in bundle.p12 -nodes -passin pass:Kreidefelsen -out bundle.pem",
      values: ["Kreidefelsen"],
    },
    {
      kind: "crypto-tool",
      text: "keytool -importkeystore -srckeystore old.jks -destkeystore new.p12 -srcstorepass Duke+Java -deststorepass c0ffee-bean",
      values: ["Duke+Java", "c0ffee-bean"],
    },
    {
      kind: "crypto-tool",
      text: 'gpg --batch --pinentry-mode loopback --passphrase "under the old oak, third stone" --sign release.tar.gz',
      values: ["under the old oak, third stone"],
    },
    { kind: "crypto-tool", text: "7z x payroll-2023.7z -pGehaltsz3ttel -o/tmp/pay", values: ["Gehaltsz3ttel"] },
    {
      kind: "crypto-tool",
      text: "zip -r -P squ1rrel archive.zip reports/\n@@ crypto-tool ssh-keygen-N\nssh-keygen -t ed25519 -f ~/.ssh/deploy -N 'Windmühle 3 Flügel' -C deploy@ci",
      values: ["squ1rrel", "Windmühle 3 Flügel"],
    },
    {
      kind: "crypto-tool",
      text: "signtool sign /f codesign.pfx /p Autogramm99 /fd SHA256 setup.exe",
      values: ["Autogramm99"],
    },
    {
      kind: "crypto-tool",
      text: "qpdf --password=1962-03-14 --decrypt lohnabrechnung.pdf plain.pdf",
      values: ["1962-03-14"],
    },
    { kind: "crypto-tool", text: "htpasswd -bB /etc/nginx/.htpasswd preview sneak+peek", values: ["sneak+peek"] },
    { kind: "http", text: "curl -sS -u elastic:Kn4ckebrot http://es1:9200/_cat/indices", values: ["Kn4ckebrot"] },
    {
      kind: "http",
      text: "wget --user=dl --password='rain & shine' https://files.kettle.test/fw.bin",
      values: ["rain & shine"],
    },
    { kind: "http", text: "http -a tester:goose.step.4 GET :8080/api/me", values: ["goose.step.4"] },
    {
      kind: "http",
      text: "POST /j_spring_security_check HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\nj_username=admin&j_password=Fahrrad%21kette&remember-me=on",
      values: ["Fahrrad%21kette"],
    },
    {
      kind: "http",
      text: 'curl -X POST https://api.kettle.test/v1/login -H \'content-type: application/json\' -d \'{"email":"rosa@kettle.test","password":"Flieder im Juni"}\'',
      values: ["Flieder im Juni"],
    },
    {
      kind: "http",
      text: "> GET /metrics HTTP/1.1\n> Host: prom.kettle.test\n> Authorization: Basic cHJvbTpaYXVua8O2bmlnNw==\n> Accept: */*",
      values: ["cHJvbTpaYXVua8O2bmlnNw=="],
    },
    {
      kind: "http",
      text: "> GET /v2/me HTTP/2\n> accept: application/json\n> authorization: Bearer kK3H14tob8F273ogfguE_bqmIlA58T3RtrL-F4weIA4uPOlGTkeR",
      values: ["kK3H14tob8F273ogfguE_bqmIlA58T3RtrL-F4weIA4uPOlGTkeR"],
    },
    {
      kind: "http",
      text:
        'fetch("/api/cart", { headers: { Authorization: "Bearer ey' +
        "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
        'JzdWIiOiI3NzE5Iiwicm9sZSI6ImFkbWluIiwiaWF0IjoxNzE3NDAxMTIyLCJleHAiOjE3MTc0ODc1MjJ9.ltYRpe7jlMeJs6elUVrTVEtbVGY1-q8-hGZz19mu1Ly" } })',
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
          "JzdWIiOiI3NzE5Iiwicm9sZSI6ImFkbWluIiwiaWF0IjoxNzE3NDAxMTIyLCJleHAiOjE3MTc0ODc1MjJ9.ltYRpe7jlMeJs6elUVrTVEtbVGY1-q8-hGZz19mu1Ly",
      ],
    },
    {
      kind: "http",
      text: "Cookie: theme=dark; lang=de; sessionid=3gtup6lpwiime43gu4axobdb2urlttsf",
      values: ["3gtup6lpwiime43gu4axobdb2urlttsf"],
    },
    {
      kind: "http",
      text: 'curl -H "X-Api-Key: va7h3c3lw9ax663sxg3gvf4p2ui1p2kojqdkup0l" "https://sonarr.home/api/v3/series"',
      values: ["va7h3c3lw9ax663sxg3gvf4p2ui1p2kojqdkup0l"],
    },
    {
      kind: "http",
      text: "2024-06-03T09:12:44Z GET https://hooks.kettle.test/deploy?env=prod&access_token=k4peMn9wgQ4mBvJSa2J9TngvUqSk 202",
      values: ["k4peMn9wgQ4mBvJSa2J9TngvUqSk"],
    },
    {
      kind: "http",
      text: '{"token_type":"Bearer","expires_in":3599,"access_token":"6wy0TWIa2xB3MSqUaZOUCN3oggHs_5_6T9P_jmvD_8H0MBSkEHmpUM17TWZlce70E-dBWDL011zafRWbRY3NBt9VNaL4maWT","refresh_token":"Oh-4GpM00dgD1986v-JZO73uAKtsQEl-0HDB7Wl_8pA40BFJsYWjhPZays_5"}',
      values: [
        "6wy0TWIa2xB3MSqUaZOUCN3oggHs_5_6T9P_jmvD_8H0MBSkEHmpUM17TWZlce70E-dBWDL011zafRWbRY3NBt9VNaL4maWT",
        "Oh-4GpM00dgD1986v-JZO73uAKtsQEl-0HDB7Wl_8pA40BFJsYWjhPZays_5",
      ],
    },
    {
      kind: "http",
      text: "grant_type=client_credentials&client_id=orders-sync&client_secret=m2V.7hD~kQx9rT-bL4&scope=orders.read",
      values: ["m2V.7hD~kQx9rT-bL4"],
    },
    {
      kind: "http",
      text: '<wsse:UsernameToken>\n  <wsse:Username>partner42</wsse:Username>\n  <wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">soap&#38;Water</wsse:Password>\n</wsse:UsernameToken>',
      values: ["soap&#38;Water"],
    },
    {
      kind: "http",
      text: 'mutation { login(email: "ina@kettle.test", password: "Pusteblume...") { token } }',
      values: ["Pusteblume..."],
    },
    {
      kind: "http",
      text: '"postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "user", "value": "ina"}, {"name": "password", "value": "Erdbeer+Sahne"}]}',
      values: ["Erdbeer+Sahne"],
    },
    {
      kind: "http",
      text: '"auth": {\n  "type": "basic",\n  "basic": [\n    { "key": "password", "value": "post.haste.man", "type": "string" },\n    { "key": "username", "value": "integration", "type": "string" }\n  ]\n}',
      values: ["post.haste.man"],
    },
    {
      kind: "http",
      text: '------WebKitFormBoundary7MA4YWxk\nContent-Disposition: form-data; name="password"\n\nHängematte am See\n------WebKitFormBoundary7MA4YWxk--',
      values: ["Hängematte am See"],
    },
    {
      kind: "http",
      text: '<elementProp name="password" elementType="HTTPArgument">\n  <stringProp name="Argument.name">password</stringProp>\n  <stringProp name="Argument.value">l0ad-of-Hay</stringProp>\n</elementProp>',
      values: ["l0ad-of-Hay"],
    },
    {
      kind: "ci",
      text: "      - name: Deploy\n        uses: appleboy/scp-action@v0.1.7\n        with:\n          host: web3.kettle.test\n          username: deploy\n          password: Kürbiskern-öl",
      values: ["Kürbiskern-öl"],
    },
    {
      kind: "ci",
      text: "variables:\n  SONAR_HOST: https://sonar.corp.lan\n  FTP_PASS: '%percent%sign'",
      values: ["%percent%sign"],
    },
    {
      kind: "ci",
      text: "environment {\n    REGISTRY = 'registry.corp.lan'\n    REGISTRY_PSW = 'Apfelstrudel mit Sahne'\n}",
      values: ["Apfelstrudel mit Sahne"],
    },
    {
      kind: "ci",
      text: "<com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>\n  <id>nexus</id>\n  <username>jenkins</username>\n  <password>N3xu5-6!</password>\n</com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>",
      values: ["N3xu5-6!"],
    },
    {
      kind: "ci",
      text: "+ set -x\n+ export SIGNING_PW=gr4v3l\n+ SIGNING_PW=gr4v3l\n+ ./sign.sh dist/app.msi",
      values: ["gr4v3l"],
    },
    {
      kind: "ci",
      text: "variables:\n- name: sqlUser\n  value: svc_sql\n- name: sqlPassword\n  value: Donaudampfschiff",
      values: ["Donaudampfschiff"],
    },
    {
      kind: "ci",
      text: "##teamcity[setParameter name='env.DEPLOY_PASSWORD' value='shipIt_shipIt']",
      values: ["shipIt_shipIt"],
    },
    {
      kind: "ci",
      text: 'match(type: "appstore", readonly: true)\nENV["MATCH_PASSWORD"] = "strike a light 3x"',
      values: ["strike a light 3x"],
    },
    {
      kind: "monitoring",
      text: "global:\n  smtp_auth_username: 'alerts'\n  smtp_auth_password: 'Siren.Song'",
      values: ["Siren.Song"],
    },
    {
      kind: "monitoring",
      text: "$ grafana-cli admin reset-admin-password dash&board&9\nAdmin password changed successfully ✔",
      values: ["dash&board&9"],
    },
    {
      kind: "monitoring",
      text: '[[outputs.influxdb]]\n  urls = ["http://influx:8086"]\n  username = "telegraf"\n  password = "morse -.-. code"',
      values: ["morse -.-. code"],
    },
    {
      kind: "monitoring",
      text: 'output { elasticsearch { hosts => ["es1:9200"] user => "logstash" password => "Beaver_Lodge" } }',
      values: ["Beaver_Lodge"],
    },
    {
      kind: "log",
      text: "2024-05-02 11:20:31,114 DEBUG connector: kwargs={'host': 'sap1', 'user': 'RFC_IFACE', 'passwd': 'Vierzehn14', 'client': '100'}",
      values: ["Vierzehn14"],
    },
    {
      kind: "log",
      text: "DEBUG c.k.LdapConfig - LdapConfig[url=ldaps://dc1, bindDn=cn=svc, bindPassword=Streuobst_wiese, timeout=3000]",
      values: ["Streuobst_wiese"],
    },
    {
      kind: "log",
      text: 'level=debug msg="loaded config" cfg="{Listen::8080 DBUser:grid DBPassword:tessellate MaxConn:20}"',
      values: ["tessellate"],
    },
    {
      kind: "log",
      text: 'D, [2024-03-09T08:00:12] DEBUG -- : params: {:user=>"petra", :password=>"Schneeb@ll", :remember=>"1"}',
      values: ["Schneeb@ll"],
    },
    {
      kind: "log",
      text: "Array\n(\n    [host] => localhost\n    [user] => typo3\n    [password] => K4ffeesatz\n)",
      values: ["K4ffeesatz"],
    },
    { kind: "log", text: '  ["dbPassword"]=>\n  string(11) "Dudelsack!1"', values: ["Dudelsack!1"] },
    {
      kind: "log",
      text: "$VAR1 = {\n          'imap_server' => 'imap.kettle.test',\n          'imap_password' => 'camel{hump}2'\n        };",
      values: ["camel{hump}2"],
    },
    {
      kind: "log",
      text: "sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) could not connect using\nmysql+pymysql://inv:Zapfenstreich@db-inv:3306/inv (Background on this error at: https://sqlalche.me/e/20/e3q8)",
      values: ["Zapfenstreich"],
    },
    {
      kind: "log",
      text: "Apr 04 03:11:09 web2 sudo[8123]:     ansible : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/usr/bin/mysql -uroot --password=OldMacDonald -e FLUSH\\ HOSTS",
      values: ["OldMacDonald"],
    },
    {
      kind: "log",
      text: "root      2231  0.1  0.4 121044 18232 ?  Ssl  09:02  0:01 /usr/bin/redis_exporter --redis.addr=redis://r1:6379 --redis.password=exp0rt_duty",
      values: ["exp0rt_duty"],
    },
    {
      kind: "log",
      text: '[pid  911] write(5, "USER anonymous2\\r\\nPASS ghostwriter\\r\\n", 36) = 36',
      values: ["ghostwriter"],
    },
    {
      kind: "log",
      text: "11:02:51.118 IP 10.0.0.8.51344 > 10.0.0.2.21: Flags [P.], length 17: FTP: PASS Hafenkran3",
      values: ["Hafenkran3"],
    },
    {
      kind: "log",
      text: 'Jan 12 07:44:01 portal[331]: login failed for user=karin password="Mäusespeck!" reason=expired',
      values: ["Mäusespeck!"],
    },
    {
      kind: "log",
      text: '(gdb) p *session\n$3 = {user = 0x5581a0 "sysdba", password = 0x5581c0 "masterkee9", flags = 3}',
      values: ["masterkee9"],
    },
    {
      kind: "log",
      text: '{"level":"info","msg":"request","body":"{\\"op\\":\\"bind\\",\\"cred\\":\\"{\\\\\\"login\\\\\\":\\\\\\"iot\\\\\\",\\\\\\"password\\\\\\":\\\\\\"Bienenstich\\\\\\"}\\"}"}',
      values: ["Bienenstich"],
    },
    {
      kind: "log",
      text: "*************************************************************\nJenkins initial setup is required. An admin user has been created and a password generated.\nPlease use the following password to proceed to installation:\n\n8ee3016d8f25d4034312c4891b2e8312\n\nThis may also be found at: /var/lib/jenkins/secrets/initialAdminPassword\n*************************************************************",
      values: ["8ee3016d8f25d4034312c4891b2e8312"],
    },
    {
      kind: "log",
      text: "[i] Created database 'nextcloud'\n[i] Created user 'nextcloud' with generated password uX7-yiP-3vd-Qm0 (shown once)",
      values: ["uX7-yiP-3vd-Qm0"],
    },
    {
      kind: "log",
      text: "2024-01-18T10:15:02.118Z 6 [Note] [MY-010454] [Server] A temporary password is generated for root@localhost: h;Uy3jk>Lw2P",
      values: ["h;Uy3jk>Lw2P"],
    },
    {
      kind: "log",
      text: "[I 10:21:07 NotebookApp] http://lab7:8888/?token=1bd1e8efef23ace0c8358a07352441da68ec7c8c8354ec5e",
      values: ["1bd1e8efef23ace0c8358a07352441da68ec7c8c8354ec5e"],
    },
    {
      kind: "log",
      text: "$ tr '\\0' '\\n' < /proc/4410/environ\nLANG=C.UTF-8\nSNMP_AUTH_PASS=octopus.garden\nHOME=/var/lib/snmp",
      values: ["octopus.garden"],
    },
    {
      kind: "terminal",
      text: "$ cat -n deploy.ini\n     1\t[target]\n     2\thost = 10.3.3.3\n     3\tuser = push\n     4\tpassword = Schubkarre\n     5\tretries = 3",
      values: ["Schubkarre"],
    },
    {
      kind: "terminal",
      text: "  14→    admin:\n  15→      login: root\n  16→      passwort: Hagebutte_8\n  17→      mfa: false",
      values: ["Hagebutte_8"],
    },
    {
      kind: "terminal",
      text: 'config/legacy.php:31:$db_pass = "m00nshine";\nconfig/legacy.php:32:$db_name = "cms";',
      values: ["m00nshine"],
    },
    {
      kind: "terminal",
      text: "\u001b[36mpassword\u001b[0m: \u001b[33mFeldsalat+Nüsse\u001b[0m\n\u001b[36musername\u001b[0m: \u001b[33mcook\u001b[0m",
      values: ["Feldsalat+Nüsse"],
    },
    { kind: "terminal", text: "Zugang NAS:\nBenutzer : archiv\nPasswort : Karteileiche", values: ["Karteileiche"] },
    {
      kind: "terminal",
      text: "  501  cd /opt/feed\n  502  mysql -u feed -p'Bl@ckb1rd' feed\n  503  exit",
      values: ["Bl@ckb1rd"],
    },
    {
      kind: "terminal",
      text: "$ ./enroll.sh\nEnter admin password (visible): Rasenmäher\nRepeat: Rasenmäher\nEnrolled.",
      values: ["Rasenmäher"],
    },
    {
      kind: "terminal",
      text:
        "# m h dom mon dow command\n15 2 * * * /usr/local/bin/b2-sync --ke" +
        "y-id 0021 --ke" +
        "y-pass latenight.snack >> /var/log/b2.log 2>&1",
      values: ["latenight.snack"],
    },
    { kind: "terminal", text: "cmdkey /add:fileserver /user:CORP\\scan /pass:Büroklammer", values: ["Büroklammer"] },
    {
      kind: "terminal",
      text: "robocopy-wrapper.exe ^\n  /share:\\\\nas\\cad ^\n  /username:cad ^\n  /password:Zirkel&Lineal ^\n  /mirror",
      values: ["Zirkel&Lineal"],
    },
    {
      kind: "terminal",
      text: "┌──────────────┬──────────────────────┐\n│ Setting      │ Value                │\n├──────────────┼──────────────────────┤\n│ smtp.user    │ robot                │\n│ smtp.pass    │ grease the cogs      │\n└──────────────┴──────────────────────┘",
      values: ["grease the cogs"],
    },
    {
      kind: "terminal",
      text: 'INFO exec argv=["/usr/bin/mysqladmin","-u","root","--password","Leuchtturm","ping"]',
      values: ["Leuchtturm"],
    },
    {
      kind: "terminal",
      text: 'subprocess.run(["smbmap", "-H", "10.0.0.9", "-u", "audit", "-p", "Trüffel/Schwein"], check=True)',
      values: ["Trüffel/Schwein"],
    },
    {
      kind: "table",
      text: "| System    | User   | Password        | Note          |\n|-----------|--------|-----------------|---------------|\n| Jira test | qa1    | Gummib4er       | resets weekly |\n| Wiki      | qa2    | Luft.Schloss    |               |",
      values: ["Gummib4er", "Luft.Schloss"],
    },
    {
      kind: "table",
      text: 'name,url,username,password\nShop admin,https://shop.kettle.test/admin,anne,Kirschkern!spucken\nPlesk,https://host:8443,root,"a,b,c die Katze"',
      values: ["Kirschkern!spucken", "a,b,c die Katze"],
    },
    { kind: "table", text: "host\tlogin\tpw\nplc-3\tengineer\tFörderband", values: ["Förderband"] },
    {
      kind: "table",
      text: "| service | account | passwd   |\n|---------+---------+----------|\n| hetzner | K12     | ka1serw3g |",
      values: ["ka1serw3g"],
    },
    {
      kind: "table",
      text: "<tr><th>Benutzer</th><td>praktikant</td></tr>\n<tr><th>Kennwort</th><td>Brotzeit um 9</td></tr>",
      values: ["Brotzeit um 9"],
    },
    { kind: "table", text: ":Host: lims.lab\n:Login: nightshift\n:Password: petri_dish_42", values: ["petri_dish_42"] },
    { kind: "table", text: "Gerät;Anmeldename;Kennwort\nDrucker EG;admin;Tonerstaub", values: ["Tonerstaub"] },
    {
      kind: "notation",
      text: "<key>ProxyPassword</key>\n<string>apple(core)</string>\n<key>ProxyPort</key>",
      values: ["apple(core)"],
    },
    {
      kind: "notation",
      text: "credentials:\n  passphrase: >-\n    no man is an island\n    entire of itself\n  rotation: 90d",
      values: ["no man is an island", "entire of itself"],
    },
    { kind: "notation", text: '["set", "auth.password", "Rübe&Kohl"]', values: ["Rübe&Kohl"] },
    {
      kind: "notation",
      text: 'curl_easy_setopt(h, CURLOPT_USERNAME, "probe");\ncurl_easy_setopt(h, CURLOPT_PASSWORD, "s0nde-12");',
      values: ["s0nde-12"],
    },
    {
      kind: "notation",
      text: '[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Winlogon]\n"DefaultUserName"="kiosk"\n"DefaultPassword"="Litfaßsäule"',
      values: ["Litfaßsäule"],
    },
    {
      kind: "notation",
      text: 'smtp = { host = "mx1", user = "bot", password = \'C:\\new\\hat\' }',
      values: ["C:\\new\\hat"],
    },
    {
      kind: "notation",
      text: "set cfg(user) lab\nset cfg(password) {bunsen burner blue}",
      values: ["bunsen burner blue"],
    },
    {
      kind: "notation",
      text: "java -Djavax.net.ssl.trustStore=/etc/ts.jks -Djavax.net.ssl.trustStorePassword=Jav4.lin -jar app.jar",
      values: ["Jav4.lin"],
    },
    {
      kind: "notation",
      text: "[Proxy]\nType=HttpProxy\nAuth\\User=dev\nAuth\\Pass=cute-toolkit",
      values: ["cute-toolkit"],
    },
    {
      kind: "notation",
      text: "envVars:\n  - { key: LDAP_BIND_PW, value: '[brackets] galore' }",
      values: ["[brackets] galore"],
    },
    {
      kind: "notation",
      text: '"environment": [{"value": "Rollo-Laden-8", "name": "DB_PASSWORD"}, {"value": "eu", "name": "REGION"}]',
      values: ["Rollo-Laden-8"],
    },
    { kind: "notation", text: "FTP_USER := web\nFTP_PASSWORD := makeMyDay", values: ["makeMyDay"] },
    { kind: "notation", text: "keepass://open?db=/home/u/main.kdbx&password=Gatter%20zu", values: ["Gatter%20zu"] },
    {
      kind: "notation",
      text: "Log in on the staging box as `stage` with password `porridge|bowl`, then restart the queue.",
      values: ["porridge|bowl"],
    },
    {
      kind: "notation",
      text: "{\n  # device portal\n  user: tech\n  password: '''o'brien's 6 pints'''\n}",
      values: ["o'brien's 6 pints"],
    },
    { kind: "notation", text: 'ADMIN_CREDENTIALS = ("admin", "Stechuhr-7-15")', values: ["Stechuhr-7-15"] },
    {
      kind: "notebook",
      text: '   "source": [\n    "import pyodbc\\n",\n    "USER = \'lena\'\\n",\n    "PASSWORD = \'Kartoffelpuffer\'\\n"\n   ],',
      values: ["Kartoffelpuffer"],
    },
    {
      kind: "notebook",
      text: "In [3]: %env SNOWFLAKE_PASSWORD=Flöckchen\nenv: SNOWFLAKE_PASSWORD=Flöckchen",
      values: ["Flöckchen"],
    },
    {
      kind: "chat",
      text: "User: the box is 10.0.7.7, user is svc and the password is Flamingo.Parade - can you check why nginx won't start?",
      values: ["Flamingo.Parade"],
    },
    {
      kind: "chat",
      text: "hey, login for the demo tenant: sandra@kettle.test / Drachenboot (pw works until monday)",
      values: ["Drachenboot"],
    },
    {
      kind: "chat",
      text: "I've changed the root password to Violin4Cello so the old one no longer works.",
      values: ["Violin4Cello"],
    },
    {
      kind: "chat",
      text: "Join: https://meet.kettle.test/j/8891\nMeeting ID: 889 1123 0045\nPasscode: q7Fz2M",
      values: ["q7Fz2M"],
    },
    {
      kind: "chat",
      text: "Alarm panel in the server room: PIN 4071, then hash. Please don't post it elsewhere.",
      values: ["4071"],
    },
    {
      kind: "chat",
      text: "> which password for the backup user?\nuse this one: Kleingarten§5",
      values: ["Kleingarten§5"],
    },
    { kind: "chat", text: "vm creds -> user: ubuntu pw: zwiebel", values: ["zwiebel"] },
    {
      kind: "chat",
      text: "Your two-factor recovery codes, keep them safe:\n7k2mq-x9dfr\np3w8n-b6tzc\nh5v1y-j4gsl",
      values: ["7k2mq-x9dfr", "p3w8n-b6tzc", "h5v1y-j4gsl"],
    },
    {
      kind: "chat",
      text: "wallet seed phrase (12 words): cactus ribbon orbit velvet lunar pebble mango drift salmon eager tunnel crisp",
      values: ["cactus ribbon orbit velvet lunar pebble mango drift salmon eager tunnel crisp"],
    },
    {
      kind: "chat",
      text: "otpauth://totp/Kettle:ops@kettle.test?secret=IEZGOK7DAWXN5O2SRYJASAIJ6JS6BBMW&issuer=Kettle",
      values: ["IEZGOK7DAWXN5O2SRYJASAIJ6JS6BBMW"],
    },
    {
      kind: "ticket",
      text: "h3. Access\n* URL: https://uat.kettle.test\n* User: uat_approver\n* Password: {{Biber&Damm}}\nh3. Steps to reproduce\n# Log in",
      values: ["Biber&Damm"],
    },
    {
      kind: "ticket",
      text: "Hi Ben,\nas discussed on the phone, your initial password is\n    Nuthatch-Elm-40\nPlease change it at first login.\nRegards, Service Desk",
      values: ["Nuthatch-Elm-40"],
    },
    {
      kind: "ticket",
      text: "## Handover\n- Switch stack: `admin`, password patchwork-quilt\n- Spare fuse: drawer 2",
      values: ["patchwork-quilt"],
    },
    {
      kind: "ticket",
      text: "Password reset for j.ortega completed. Temporary password: Wm5$kdTr (valid 24 h)",
      values: ["Wm5$kdTr"],
    },
    {
      kind: "german",
      text: "Das Passwort für die Fritzbox lautet Apfelbaum1952, bitte nach dem Update testen.",
      values: ["Apfelbaum1952"],
    },
    { kind: "german", text: "Benutzername: kasse2\nKennwort: Wechselgeld?\nFiliale: Ost", values: ["Wechselgeld?"] },
    {
      kind: "german",
      text: "Zugangsdaten Webmail – Nutzer „buero“, Passwort „Kaffee um halb 4“",
      values: ["Kaffee um halb 4"],
    },
    { kind: "french", text: "Identifiant : comptoir\nMot de passe : Pâquerette1789", values: ["Pâquerette1789"] },
    {
      kind: "french",
      text: "Le mot de passe du serveur de recette est « tarte aux mirabelles », ne le diffuse pas.",
      values: ["tarte aux mirabelles"],
    },
    { kind: "french", text: "mdp du wifi invité = croissant2beurre", values: ["croissant2beurre"] },
    { kind: "spanish", text: "usuario: bodega\ncontraseña: Tortilla_española", values: ["Tortilla_española"] },
    {
      kind: "spanish",
      text: "Ojo: la contraseña de la base de datos es Girasoles.77 y el usuario es lector.",
      values: ["Girasoles.77"],
    },
    { kind: "spanish", text: "clave del router -> mate-amargo", values: ["mate-amargo"] },
    { kind: "chinese", text: "用户名：yunwei\n密码：Xihu@2019chun\n备注：每季度更换", values: ["Xihu@2019chun"] },
    { kind: "chinese", text: "测试环境的数据库密码是guiyuan_longjing，请不要外传。", values: ["guiyuan_longjing"] },
    { kind: "chinese", text: "后台口令：春江花月夜88", values: ["春江花月夜88"] },
    { kind: "japanese", text: "ユーザー名：hosyu\nパスワード：Sakura-Mochi3", values: ["Sakura-Mochi3"] },
    {
      kind: "japanese",
      text: "検証サーバーのパスワードは「tanuki.no.hara」です。ログイン後に変更してください。",
      values: ["tanuki.no.hara"],
    },
    { kind: "portuguese", text: "usuário: estoque\nsenha: Pastel_de_nata6", values: ["Pastel_de_nata6"] },
    {
      kind: "portuguese",
      text: "A senha do servidor de homologação é feijoada@sábado, troque depois do teste.",
      values: ["feijoada@sábado"],
    },
    { kind: "russian", text: "логин: sklad\nпароль: Matryoshka_5v1", values: ["Matryoshka_5v1"] },
    { kind: "russian", text: "Пароль от стенда — ЁжикВТумане75, после проверки сменить.", values: ["ЁжикВТумане75"] },
    {
      kind: "italian-dutch",
      text: "NL: wachtwoord: stroopwafel#1\nIT: la password del NAS è Gnocchi&Salvia",
      values: ["stroopwafel#1", "Gnocchi&Salvia"],
    },
    {
      kind: "polish-swedish",
      text: "hasło: Pierogi_ruskie\nlösenord: kanelbullens-dag",
      values: ["Pierogi_ruskie", "kanelbullens-dag"],
    },
    {
      kind: "korean-turkish",
      text: "비밀번호: kimchi-jjigae7\nşifre: Lokum+Çay",
      values: ["kimchi-jjigae7", "Lokum+Çay"],
    },
    {
      kind: "private-key",
      text:
        "--" +
        "---BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n3ZlAEyMxawktp4//egOzDQKJ6kpJmBH9slhXbhCB/sUOhx1HpKg6tj9Bh2G1IyOkpV/0eu\nlZA9pu3B0i6d/OxU78qjXjC4kgHO37cEBZJOCaaUHRzRpa4LjTpxaZUUTLiccHNoDRBBDg\nDKGyH5w3qIQqmHmk4aLkjRRix3VsSc==\n-----END OPENSSH PRIVATE KEY-----",
      values: [
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW",
        "3ZlAEyMxawktp4//egOzDQKJ6kpJmBH9slhXbhCB/sUOhx1HpKg6tj9Bh2G1IyOkpV/0eu",
        "lZA9pu3B0i6d/OxU78qjXjC4kgHO37cEBZJOCaaUHRzRpa4LjTpxaZUUTLiccHNoDRBBDg",
        "DKGyH5w3qIQqmHmk4aLkjRRix3VsSc==",
      ],
    },
    {
      kind: "private-key",
      text:
        '  "type": "service_account",\n  "project_id": "kite-prod",\n  "private_key": "--' +
        '---BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC8aMCeIr68/t0wINiQdayHwZEezcSwjIZ\\nHdILSq3D4thbvPvD5jqlJkiAFk/mfoaXa5I8E8InVAto0kzHYUgDsDJoK27JMcKI\\nfNPUlI01JNUBooIFnmoKSO==\\n-----END PRIVATE KEY-----\\n",\n  "client_email": "sync@kite-prod.iam.gserviceaccount.com"',
      values: [
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC8aMCeIr68/t0wINiQdayHwZEezcSwjIZ",
        "HdILSq3D4thbvPvD5jqlJkiAFk/mfoaXa5I8E8InVAto0kzHYUgDsDJoK27JMcKI",
        "fNPUlI01JNUBooIFnmoKSO==",
      ],
    },
    {
      kind: "private-key",
      text:
        "tls:\n  key: |\n    --" +
        "---BEGIN EC PRIVATE KEY-----\n    MHcCAQEEIGs4Y8Neyw4+RjAjIpa0ryLeSHj32MApdY5QY2xkhzp8QYbxZ/GoqQFb\n    kyhxkmHxrMC515nnuMcfOXWW8v73lL/TsLAt2osmWm5912GvdVSxKGEgS9RdbiBY\n    5XoWuOpHX5kT6zGA1l04oH/QkkRjCHmZbb==\n    -----END EC PRIVATE KEY-----",
      values: [
        "MHcCAQEEIGs4Y8Neyw4+RjAjIpa0ryLeSHj32MApdY5QY2xkhzp8QYbxZ/GoqQFb",
        "kyhxkmHxrMC515nnuMcfOXWW8v73lL/TsLAt2osmWm5912GvdVSxKGEgS9RdbiBY",
        "5XoWuOpHX5kT6zGA1l04oH/QkkRjCHmZbb==",
      ],
    },
    {
      kind: "private-key",
      text: '{"kty":"OKP","crv":"Ed25519","kid":"sig-2024","x":"mX-lte0Xrov42qFYI9mdBoinkVgM_JxQayyvNpidVU7","d":"qmRxlPUdpBLqK8h2WD2AXafMCALIn-qgt569gqqzrST"}',
      values: ["qmRxlPUdpBLqK8h2WD2AXafMCALIn-qgt569gqqzrST"],
    },
    {
      kind: "private-key",
      text:
        "- name: admin\n  user:\n    client-ke" +
        "y-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQogdM0KpfaicrHxUMwBY46wzNYXBNUpYURM/pCBy7bBYFBgEwfSYVxllH56Ed1s/jX35EVz75Qgm60zKQq3Ea8/RG7esK7sTBgtAZOClLz8euSH456roXLlg/z",
      values: [
        "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQogdM0KpfaicrHxUMwBY46wzNYXBNUpYURM/pCBy7bBYFBgEwfSYVxllH56Ed1s/jX35EVz75Qgm60zKQq3Ea8/RG7esK7sTBgtAZOClLz8euSH456roXLlg/z",
      ],
    },
    {
      kind: "private-key",
      text: "Private-Lines: 1\noudpk6BZ988Poz0zxvDkN176y/eaN8V8txiYRqffqcL=\nPrivate-MAC: 433b7e117eaddf903c58e19c1f2c72302f974ef72c5d3269eaa2548e00906a35",
      values: ["oudpk6BZ988Poz0zxvDkN176y/eaN8V8txiYRqffqcL="],
    },
    {
      kind: "labelled-token",
      text: "# webhook receiver\nwebhook:\n  signing_secret: c4a8ed183bb0cf65dd9bc94cb609f3d59ac9de095e974f4e5973b73f6a48ad30",
      values: ["c4a8ed183bb0cf65dd9bc94cb609f3d59ac9de095e974f4e5973b73f6a48ad30"],
    },
    {
      kind: "labelled-token",
      text: "consul acl token: SecretID: 5e1c7a90-3d4b-4f6e-8b27-c0a9d1e2f384",
      values: ["5e1c7a90-3d4b-4f6e-8b27-c0a9d1e2f384"],
    },
    {
      kind: "labelled-token",
      text: "$ sudo cat /var/lib/rabbitmq/.erlang.cookie\nRBJQI3QXBYJDQZNRCKPK",
      values: ["RBJQI3QXBYJDQZNRCKPK"],
    },
    {
      kind: "labelled-token",
      text: "kubeadm join 10.0.0.1:6443 --token k3z0sl.ota83mppij3paelq --discovery-token-ca-cert-hash sha256:3de70d667114a2629479f2916f378a9ce19c0f80c26b312bde458f488a11787d",
      values: ["k3z0sl.ota83mppij3paelq"],
    },
    {
      kind: "labelled-token",
      text: "production:\n  secret_key_base: 028f815eaa4595c70dde3b3ca4a7c453b3f1af59197a73717f35775cf17184a67c6cbf67b25fd12713a3a2e419c81d8ae50b5e14b4eecafa7cf0445b63316242",
      values: [
        "028f815eaa4595c70dde3b3ca4a7c453b3f1af59197a73717f35775cf17184a67c6cbf67b25fd12713a3a2e419c81d8ae50b5e14b4eecafa7cf0445b63316242",
      ],
    },
    {
      kind: "labelled-token",
      text: "APP_NAME=Kettle\nAPP_KEY=base64:TujRb56bSH+fipWzi30XEk2F098ZkcapjY7O3TdnFed=",
      values: ["TujRb56bSH+fipWzi30XEk2F098ZkcapjY7O3TdnFed="],
    },
    {
      kind: "labelled-token",
      text: "const ENCRYPTION_KEY = Buffer.from('1fca6332356c202d615312b5b2cce9fb23cdf0f5cd210905ec63bfddaed3af42', 'hex');",
      values: ["1fca6332356c202d615312b5b2cce9fb23cdf0f5cd210905ec63bfddaed3af42"],
    },
    {
      kind: "labelled-token",
      text: "twitter.consumerKey = kT2xwq\ntwitter.consumerSecret = jyKNdWTVwRGo9Nmc9rDhNIu3uTSfIA11Ak09IxDy50NadZM1xT",
      values: ["jyKNdWTVwRGo9Nmc9rDhNIu3uTSfIA11Ak09IxDy50NadZM1xT"],
    },
    {
      kind: "vendor-key",
      text: "git clone https://gh" + "p_HmtFNLSMDIEG7B7OyTnQNpezhuluNFoGV3Zw@github.com/kettle/infra.git",
      values: ["gh" + "p_HmtFNLSMDIEG7B7OyTnQNpezhuluNFoGV3Zw"],
    },
    {
      kind: "vendor-key",
      text:
        "gh auth login --with-token <<< gi" +
        "thub_pat_foaCJ38FWMdFaeDjfOmUPL_761mIINl96Kn0PqeTxZwVW56YmUSyh8aEMGIGfToQCybqMF4gjLlUQ6PPSI",
      values: ["gi" + "thub_pat_foaCJ38FWMdFaeDjfOmUPL_761mIINl96Kn0PqeTxZwVW56YmUSyh8aEMGIGfToQCybqMF4gjLlUQ6PPSI"],
    },
    {
      kind: "vendor-key",
      text: 'curl --header "PRIVATE-TOKEN: gl' + 'pat-KV7sqT3R4intKCtrsORn" "https://gitlab.corp.lan/api/v4/projects"',
      values: ["gl" + "pat-KV7sqT3R4intKCtrsORn"],
    },
    {
      kind: "vendor-key",
      text:
        "[default]\naws_access_key_id = AK" +
        "IAONS3STXSD2XJLNOA\naws_secret_access_key = tKvC2+XKoIelkbwUfgGQXYb2lEQiv1yn0oLYmZAu",
      values: ["AK" + "IAONS3STXSD2XJLNOA", "tKvC2+XKoIelkbwUfgGQXYb2lEQiv1yn0oLYmZAu"],
    },
    {
      kind: "vendor-key",
      text: "SLACK_BOT_TOKEN=xo" + "xb-524762032507-7677979771874-Rvho24zTIyvFUYkh2QFGviWr",
      values: ["xo" + "xb-524762032507-7677979771874-Rvho24zTIyvFUYkh2QFGviWr"],
    },
    {
      kind: "vendor-key",
      text:
        'curl -X POST -d \'{"text":"deploy done"}\' https://ho' +
        "oks.slack.com/services/TVJQ6IXF3/BO2MI74L636/jTNu09vMi1mgmHNPMRI8Ftbr",
      values: ["https://ho" + "oks.slack.com/services/TVJQ6IXF3/BO2MI74L636/jTNu09vMi1mgmHNPMRI8Ftbr"],
    },
    {
      kind: "vendor-key",
      text: 'Stripe.api_key = "sk' + '_live_0L6tE2JU3ZryGFscBSWfMzab"',
      values: ["sk" + "_live_0L6tE2JU3ZryGFscBSWfMzab"],
    },
    {
      kind: "vendor-key",
      text:
        'client = OpenAI(api_key="sk' +
        '-proj-CnN9hv9ehOCUMG8BcpZLKvuh2YTDchq19oY17noeOQDSEClFT3BlbkFJ0ekUKJxejoKu8IRGw9kiyrzhiOFLDnGR7ny5U2fwSpF8AL1B")',
      values: [
        "sk" +
          "-proj-CnN9hv9ehOCUMG8BcpZLKvuh2YTDchq19oY17noeOQDSEClFT3BlbkFJ0ekUKJxejoKu8IRGw9kiyrzhiOFLDnGR7ny5U2fwSpF8AL1B",
      ],
    },
    {
      kind: "vendor-key",
      text:
        '{"env":{"ANTHROPIC_API_KEY":"sk' +
        '-ant-api03-WwKMURJyE7aIRmSl7LblivwUcTI-TraW3rvqA1UZ3jWh_Rgr395C4dcmXj6LZSjWJNsnLa_ddSPx9XGfmn2u_QfTN6gbtAA"}}',
      values: [
        "sk" +
          "-ant-api03-WwKMURJyE7aIRmSl7LblivwUcTI-TraW3rvqA1UZ3jWh_Rgr395C4dcmXj6LZSjWJNsnLa_ddSPx9XGfmn2u_QfTN6gbtAA",
      ],
    },
    {
      kind: "vendor-key",
      text:
        '<script src="https://maps.googleapis.com/maps/api/geocode/json?key=AI' +
        'zaGk4bXOXXdPMZwidl2kQZclpe_m8Gkf8id05"></script>',
      values: ["AI" + "zaGk4bXOXXdPMZwidl2kQZclpe_m8Gkf8id05"],
    },
    {
      kind: "vendor-key",
      text: "- SENDGRID_API_KEY: SG" + ".geUs4MuZLpdOBO0ehFBMbw.fwxWGOVkGUqUTfONWwp4eXVXQd5bqHG6dim9Nd9yTpK",
      values: ["SG" + ".geUs4MuZLpdOBO0ehFBMbw.fwxWGOVkGUqUTfONWwp4eXVXQd5bqHG6dim9Nd9yTpK"],
    },
    {
      kind: "vendor-key",
      text: "//registry.npmjs.org/:_authToken=np" + "m_EVJllRocDCLNGjxtb83kbTvBJ9EN2vHvXUuw",
      values: ["np" + "m_EVJllRocDCLNGjxtb83kbTvBJ9EN2vHvXUuw"],
    },
    {
      kind: "vendor-key",
      text:
        "twine upload -u __token__ -p py" +
        "pi-AgEIcHlwaS5vcmcmerXl2cgOg80h72HXtJ6Tnwf0hg3UDU3tvKNH6MAgHwjqZTSZO97DLY_ns-wPpzGo2RqEilfvsJkn8CJJF98YfRhlOU5eDCx5NqDxu1KiFxZ9jiQb1i-CxEhPl90apI7Z5 dist/*",
      values: [
        "py" +
          "pi-AgEIcHlwaS5vcmcmerXl2cgOg80h72HXtJ6Tnwf0hg3UDU3tvKNH6MAgHwjqZTSZO97DLY_ns-wPpzGo2RqEilfvsJkn8CJJF98YfRhlOU5eDCx5NqDxu1KiFxZ9jiQb1i-CxEhPl90apI7Z5",
      ],
    },
    {
      kind: "vendor-key",
      text: "doctl auth init -t do" + "p_v1_72a36a772ed107f4a88b9f4abddf04069db39f1f89927bc9183954591002d20a",
      values: ["do" + "p_v1_72a36a772ed107f4a88b9f4abddf04069db39f1f89927bc9183954591002d20a"],
    },
    {
      kind: "vendor-key",
      text: "huggingface-cli login --token hf" + "_kDxXGPpodsuMH19z0d7xRuw9wQ0r8gya1q",
      values: ["hf" + "_kDxXGPpodsuMH19z0d7xRuw9wQ0r8gya1q"],
    },
    {
      kind: "vendor-key",
      text: "https://api.telegram.org/bot0788562824:AAkiF1WbAWYFdn92dksvXKsrRc6pCaGKBGS/getUpdates",
      values: ["0788562824:AAkiF1WbAWYFdn92dksvXKsrRc6pCaGKBGS"],
    },
    {
      kind: "vendor-key",
      text: "X-Shopify-Access-Token: sh" + "pat_d0ba841691652b716e3bd393b073d890",
      values: ["sh" + "pat_d0ba841691652b716e3bd393b073d890"],
    },
    {
      kind: "vendor-key",
      text:
        "databricks configure --host https://adb-77.azuredatabricks.net --token da" +
        "pi4880158fba8fa70ecc870d8fad4ac34e",
      values: ["da" + "pi4880158fba8fa70ecc870d8fad4ac34e"],
    },
    {
      kind: "vendor-key",
      text:
        "Key                  Value\n---                  -----\ntoken                hv" +
        "s.vD2GZAKueAKRtvAHh8Jk-yg1-gQ1Wi0ASdwBf1nJfWx3sTn7bIFV_FPKfHoR-WEmAkA6ZWWD264IJOPWeyM8HDtyHVKVE0v\ntoken_accessor       YLzSyHTOa8hpsT6UyHMokFxR\ntoken_duration       768h",
      values: [
        "hv" + "s.vD2GZAKueAKRtvAHh8Jk-yg1-gQ1Wi0ASdwBf1nJfWx3sTn7bIFV_FPKfHoR-WEmAkA6ZWWD264IJOPWeyM8HDtyHVKVE0v",
      ],
    },
    {
      kind: "vendor-key",
      text:
        "# created: 2024-02-02T10:00:00+01:00\nAG" +
        "E-SECRET-KEY-1DWYQ7XM8PHZE0UU8FAN78UDUVG59770PEYYQXAFAM4PMHA5FNDCU8W8PNQ",
      values: ["AG" + "E-SECRET-KEY-1DWYQ7XM8PHZE0UU8FAN78UDUVG59770PEYYQXAFAM4PMHA5FNDCU8W8PNQ"],
    },
    {
      kind: "vendor-key",
      text: "pasted wrong window, sorry: dckr_pat_E301u47oHsrRXhyqISX7mHZbgXX",
      values: ["dckr_pat_E301u47oHsrRXhyqISX7mHZbgXX"],
    },
    {
      kind: "vendor-key",
      text: "bot.run('MTACtt5bORm4Lfpz3WKyfi0FfC.GD07Nn.fnKA9l7-6x_OD352AXqlmpqub8ddg-kxSGel_L')",
      values: ["MTACtt5bORm4Lfpz3WKyfi0FfC.GD07Nn.fnKA9l7-6x_OD352AXqlmpqub8ddg-kxSGel_L"],
    },
  ],
  nearMisses: [
    {
      kind: "code",
      text: "interface LoginForm {\n  username: string;\n  password: string;\n  rememberToken?: string | null;\n}",
    },
    {
      kind: "code",
      text: "const [password, setPassword] = useState('');\nconst [showPassword, setShowPassword] = useState(false);",
    },
    {
      kind: "code",
      text: "const schema = z.object({ password: z.string().min(12).max(128), token: z.string().uuid() });",
    },
    {
      kind: "code",
      text: 'class Settings(BaseSettings):\n    db_password: SecretStr\n    api_key: str = Field(..., alias="API_KEY")\n    token: Optional[str] = None',
    },
    { kind: "code", text: 'DB_PASSWORD = os.environ["DB_PASSWORD"]\nSECRET_KEY = config("SECRET_KEY", cast=str)' },
    {
      kind: "code",
      text: 'password: ENV.fetch("SHOP_DATABASE_PASSWORD") { raise "missing" },\nsecret_key: Rails.application.credentials.dig(:stripe, :secret_key)',
    },
    {
      kind: "code",
      text: 'type Credentials struct {\n\tUser     string `json:"user"`\n\tPassword string `json:"password,omitempty"`\n\tAPIKey   []byte `json:"-"`\n}',
    },
    { kind: "code", text: 'cfg.Password = os.Getenv("REDIS_PASSWORD")\ncfg.Token, err = keyring.Get("kettle", user)' },
    {
      kind: "code",
      text: "pub struct Auth {\n    pub username: String,\n    pub password: Option<SecretString>,\n    pub token: Arc<RwLock<Token>>,\n}",
    },
    {
      kind: "code",
      text: '@Value("${mail.smtp.password}")\nprivate String password;\nprivate final PasswordEncoder passwordEncoder;',
    },
    {
      kind: "code",
      text: 'if (password == null || password.isEmpty() || password.equals(username)) {\n    throw new WeakPasswordException("password must not equal user name");\n}',
    },
    {
      kind: "code",
      text: "public string Password { get; set; } = string.Empty;\npublic required string ApiKey { get; init; }",
    },
    {
      kind: "code",
      text: "val account = Account(login = login, password = passwordField.text.toString(), token = session.token)",
    },
    {
      kind: "code",
      text: "$password = $_POST['password'] ?? '';\nif (!password_verify($password, $row['password_hash'])) { exit; }",
    },
    {
      kind: "code",
      text: "const token = response.data.token;\nauth.password = form.password.value;\nthis.secret = options.secret || config.auth.secret;",
    },
    {
      kind: "code",
      text: 'password = getpass.getpass("Password: ")\ntoken = secrets.token_urlsafe(32)\nkey = derive_key(password, salt, iterations=600_000)',
    },
    {
      kind: "code",
      text: "guard let password = passwordField.text, password.count >= 8 else { return .failure(.passwordTooShort) }",
    },
    {
      kind: "code",
      text: "int check_password(const char *password, size_t len);\nstatic char *passwd = NULL;\nchar password[MAX_PASSWORD_LEN + 1] = {0};",
    },
    {
      kind: "code",
      text: "enum TokenKind { Ident, Number, Keyword, Eof }\nlet token = self.next_token();\nif token.kind == TokenKind::Keyword { parse_keyword(token)?; }",
    },
    {
      kind: "code",
      text: '|> cast(attrs, [:email, :password])\n|> validate_confirmation(:password, message: "does not match password")\n|> put_change(:hashed_password, Bcrypt.hash_pwd_salt(password))',
    },
    {
      kind: "code",
      text: 'cursor.execute("SELECT id FROM users WHERE login = %s AND password_hash = crypt(%s, password_hash)", (login, password))',
    },
    {
      kind: "code",
      text: 'read -rsp "Password: " PASSWORD && echo\n[ -n "$PASSWORD" ] || { echo "password required" >&2; exit 1; }',
    },
    { kind: "code", text: 'mysql -u "$DB_USER" -p"$DB_PASS" "$DB_NAME" < schema.sql\nsshpass -e ssh "$HOST"' },
    {
      kind: "code",
      text: "$cred = Get-Credential -Message \"Domain password\"\n$Password = Read-Host -AsSecureString -Prompt 'Password'",
    },
    { kind: "code", text: "my ($self, $password) = @_;\nmy $token = shift->{token};" },
    {
      kind: "code",
      text: 'parser.add_argument("--password", "-p", help="database password", required=True)\nparser.add_argument("--token", metavar="TOKEN", default=None)',
    },
    {
      kind: "code",
      text: "expect(screen.getByLabelText('Password')).toHaveAttribute('type', 'password');\nexpect(token).toBeUndefined();",
    },
    { kind: "code", text: "const SECRET_RE = /(?:password|passwd|pwd|secret)\\s*[:=]\\s*[\"']?([^\"'\\s]+)/i;" },
    {
      kind: "code",
      text: "const REDACT_KEYS = ['password', 'passwd', 'secret', 'token', 'authorization', 'apiKey', 'private_key'];",
    },
    {
      kind: "code",
      text: 'PASSWORD_EXPIRED = "auth/password-expired"\nINVALID_TOKEN = "auth/invalid-token"\nMISSING_SECRET = 4012',
    },
    {
      kind: "code",
      text: '<input v-model="form.password" type="password" autocomplete="current-password" :placeholder="$t(\'login.password\')" />',
    },
    {
      kind: "code",
      text: '<label for="pwd">Password</label>\n<input id="pwd" name="password" type="password" minlength="10" required>',
    },
    {
      kind: "code",
      text: "input LoginInput { email: String! password: String! otp: String }\ntype AuthPayload { token: String! user: User }",
    },
    {
      kind: "code",
      text: "message LoginRequest {\n  string username = 1;\n  string password = 2;\n  bytes api_key = 3;\n}",
    },
    {
      kind: "code",
      text: "        password:\n          type: string\n          format: password\n          minLength: 8\n        access_token:\n          $ref: '#/components/schemas/Token'",
    },
    {
      kind: "code",
      text: '"password": { "type": "string", "writeOnly": true, "description": "Password of the account" }',
    },
    { kind: "code", text: "mapping(address => uint256) private tokenBalances;\nIERC20 public immutable token;" },
    {
      kind: "code",
      text: "(defun login (user &key password token) (authenticate user :password password :token token))",
    },
    {
      kind: "code",
      text: "const { user, password, token, secret = undefined } = req.body;\nreturn signIn({ user, password });",
    },
    {
      kind: "code",
      text: "secret: process.env.JWT_SECRET ?? (() => { throw new Error('JWT_SECRET is not set') })(),\npassword: isDev ? undefined : await vault.read('db/password'),",
    },
    {
      kind: "i18n",
      text: '{ "login.password": "Password", "login.forgot": "Forgot your password?", "login.password_repeat": "Repeat password" }',
    },
    {
      kind: "i18n",
      text: "de:\n  login:\n    password: Passwort\n    password_confirmation: Passwort bestätigen\n    token: Einmalcode",
    },
    { kind: "i18n", text: 'msgid "Wrong password"\nmsgstr "Mauvais mot de passe"' },
    { kind: "i18n", text: "label.password=Contraseña\nerror.password.short=La contraseña es demasiado corta" },
    { kind: "i18n", text: '"password_label" = "パスワード";\n"password_hint" = "パスワードを入力してください";' },
    { kind: "i18n", text: "password: '密码', confirmPassword: '确认密码', tokenExpired: '令牌已过期'," },
    {
      kind: "css",
      text: '.password-field input[type="password"]::placeholder { color: #9aa0a6; }\n#token-list > li.secret { display: none; }',
    },
    { kind: "css", text: ".c-password {\n  &__toggle { right: 0.5rem; }\n  &--visible { font-family: monospace; }\n}" },
    {
      kind: "css",
      text: '<div class="password-strength token-badge flex items-center text-secret-500" data-key="pw"></div>',
    },
    {
      kind: "design-tokens",
      text: '{ "token": { "color-primary": { "value": "#3b5bdb", "type": "color" }, "spacing-md": { "value": "16px", "type": "dimension" } } }',
    },
    { kind: "design-tokens", text: "--token-radius-lg: 12px;\n--token-shadow: 0 2px 8px rgb(0 0 0 / 0.12);" },
    {
      kind: "selector",
      text: "await page.locator('[data-testid=\"password-input\"]').waitFor();\nawait expect(page.locator('#password-error')).toHaveText('Password is required');",
    },
    { kind: "selector", text: "//input[@name='password' and @type='password']/following-sibling::button" },
    { kind: "placeholder", text: "curl -u <username>:<password> https://api.kettle.test/v1/status" },
    { kind: "placeholder", text: "DB_PASSWORD=\nREDIS_PASSWORD=your_password_here\nJWT_SECRET=<generate-me>" },
    { kind: "placeholder", text: "url: jdbc:postgresql://${DB_HOST}/${DB_NAME}\npassword: ${DB_PASSWORD:?not set}" },
    { kind: "placeholder", text: "password: \"{{ vault_db_password }}\"\ntoken: {{ lookup('env', 'API_TOKEN') }}" },
    {
      kind: "placeholder",
      text: 'password: {{ .Values.auth.password | b64enc | quote }}\ntoken: {{ include "app.token" . | nindent 4 }}',
    },
    {
      kind: "placeholder",
      text: "with:\n  token: ${{ secrets.GITHUB_TOKEN }}\n  password: ${{ secrets.REGISTRY_PASSWORD }}",
    },
    { kind: "placeholder", text: "sqlcmd -S %SERVER% -U %DBUSER% -P %DBPASS% -i setup.sql" },
    {
      kind: "placeholder",
      text: "az login --service-principal -u $env:ARM_CLIENT_ID -p $env:ARM_CLIENT_SECRET --tenant $env:ARM_TENANT_ID",
    },
    {
      kind: "placeholder",
      text: 'export PGPASSWORD="$(pass show db/prod)"\ndocker login -u ci -p "$(cat /run/secrets/registry)" registry.corp.lan',
    },
    {
      kind: "placeholder",
      text: 'DB_PASSWORD=op://Engineering/prod-db/password\nAPI_KEY="op://Engineering/api/credential"',
    },
    {
      kind: "placeholder",
      text: "secrets:\n  - name: DB_PASSWORD\n    valueFrom: arn:aws:secretsmanager:eu-west-1:481516234201:secret:prod/db-Xa81Qw",
    },
    {
      kind: "placeholder",
      text: '"ApiSecret": "@Microsoft.KeyVault(SecretUri=https://kv-main.vault.azure.net/secrets/api-secret/)"',
    },
    {
      kind: "placeholder",
      text: "- name: POSTGRES_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: pg-main\n      key: password",
    },
    { kind: "placeholder", text: "wifi:\n  ssid: !secret wifi_ssid\n  password: !secret wifi_password" },
    { kind: "placeholder", text: "MasterUserPassword: '{{resolve:secretsmanager:prod/rds:SecretString:password}}'" },
    { kind: "placeholder", text: 'password = var.db_password\ntoken    = data.vault_generic_secret.ci.data["token"]' },
    {
      kind: "placeholder",
      text: "  + password             = (sensitive value)\n  + random_password      = (known after apply)",
    },
    { kind: "placeholder", text: "spring.datasource.password = ******\nAuthorization: Bearer ***" },
    { kind: "placeholder", text: '{"user":"ina","password":"[REDACTED]","token":"<redacted>","apiKey":"[Filtered]"}' },
    { kind: "placeholder", text: "Password: ••••••••••\nConfirm:  ••••••••••" },
    {
      kind: "placeholder",
      text: "Keys start with `sk" + "-...` or `gh" + "p_...`; set `OPENAI_API_KEY=sk" + "-...` before running.",
    },
    {
      kind: "placeholder",
      text:
        "GITHUB_TOKEN=gh" + "p_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX\nSLACK_TOKEN=xo" + "xb-xxxxxxxxxxxx-xxxxxxxxxxxx",
    },
    { kind: "placeholder", text: '{"password": "", "token": null, "secret": false, "api_key": "none"}' },
    { kind: "placeholder", text: "db.password=@db.password@\napi.token=#{systemEnvironment['API_TOKEN']}" },
    { kind: "placeholder", text: "密码：<请输入密码>\n数据库密码=你的密码" },
    {
      kind: "placeholder",
      text: "postgres://USER:PASSWORD@HOST:5432/DATABASE\nmongodb+srv://<user>:<password>@cluster0.<id>.mongodb.net",
    },
    {
      kind: "placeholder",
      text: "POSTGRES_PASSWORD_FILE: /run/secrets/pg_password\npasswordFile = config.age.secrets.nas.path;",
    },
    {
      kind: "hash",
      text: "372960ef60cdcaf1a41c78cad66241e9457ad42a Fix token refresh on 401\n5eb59deee0e1f2ff10d6f962272757d185c8978f Rename password column",
    },
    {
      kind: "hash",
      text: "$ sha256sum secrets-operator_1.4.0_linux_amd64.tar.gz\n338c1a2e2e5c3fb6939d7cdfe198cfef57b849ca467b78010e0af62b470d9410  secrets-operator_1.4.0_linux_amd64.tar.gz",
    },
    {
      kind: "hash",
      text:
        "Digest: sha256:e715c3de446371924ab565442dd5564376ad31be2e2a949f94db698db361c17a\nStatus: Downloaded newer image for hashicorp/va" +
        "ult:1.15",
    },
    { kind: "hash", text: 'ETag: "2d734f605e2c1c948381cda918bc23e6"\nContent-MD5: diI7bd6nVgsaHngu21eD+X==' },
    {
      kind: "lockfile",
      text: '    "node_modules/keygrip": {\n      "version": "1.1.0",\n      "resolved": "https://registry.npmjs.org/keygrip/-/keygrip-1.1.0.tgz",\n      "integrity": "sha512-PK5LMjE71X7ChvPOYFxEvWa1IMPJVHtT/oHV57KnKMoZ6U5osFE6uZvpOJf0uZrJbIHHcN9NlMiTu/PaqbOGCG==",\n      "license": "MIT"\n    },',
    },
    {
      kind: "lockfile",
      text: '"js-tokens@^3.0.0 || ^4.0.0", js-tokens@^4.0.0:\n  version "4.0.0"\n  resolved "https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#1ce23667001810069e688304ab3a648454bbea8d"',
    },
    {
      kind: "lockfile",
      text: '[[package]]\nname = "secrecy"\nversion = "0.8.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "d09a14536d03a67a5527f718ab9a9cb4f79891b2cbfa3733c62c978ff1024d83"',
    },
    {
      kind: "lockfile",
      text: "github.com/golang-jwt/jwt/v5 v5.2.1 h1:3Jo5eEW4V6fIDwTidptglkw8QFG8x/tAV9x47blfiVZ=\ngithub.com/golang-jwt/jwt/v5 v5.2.1/go.mod h1:k5PFlqqiNFV5nngsQOyEdaID1haUPfwlyHVUY7iB/wI=",
    },
    {
      kind: "lockfile",
      text: "keyring==25.2.1 \\\n    --hash=sha256:b100239dbba4bd9465f400264c325b5a5042cdf7657d44c929520715921460d5 \\\n    --hash=sha256:681c4a7879333989b1b18012767009fde5eca4941c1427cb057a842225bc7c8b",
    },
    {
      kind: "lockfile",
      text: '"narHash": "sha256-LnZDu2htl8nkBK55SNpAiO2e5+VKZskWD5/hRZ59s5J=",\n"rev": "c651e76717a2fea48a085cd9c90d85a4dabaa29a",',
    },
    {
      kind: "id",
      text: "request_id=5f0c2b1e-9a1d-4c0e-8f55-7b1f2a6d9e03 user_id=1c9e7d42-2b6f-4f0d-9d83-0a4b5c6d7e8f path=/password/reset status=204",
    },
    { kind: "id", text: "subnet-0a1b2c3d4e5f67890  vpc-0fedcba9876543210  ke" + "y-pair: kp-ops  secret-arn-count: 4" },
    { kind: "id", text: "traceparent: 00-d6890dfb613a76b7ff594c1d9ea04bb3-a83e2d3f0f65a061-01" },
    {
      kind: "public-key",
      text: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI0TEmly9aAXbKQxn1cG0JmKzL3mBPFWX2imtlUy5GuQS lea@notebook",
    },
    {
      kind: "public-key",
      text:
        "--" +
        "---BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENhzOM9JUscM405M0rcUBe/mYgs9U\nyTzQhDL0AkLi9ZxdPvIL98LcHai9MDFlSdhv2JJALgLcPvUWMuPp1K00XT==\n-----END PUBLIC KEY-----",
    },
    { kind: "public-key", text: "256 SHA256:xW1LwnNWUywEPhv1CEPZXx0FVUoZyD4jgpPyn92Pksi deploy@ci (ED25519)" },
    { kind: "public-key", text: "# public key: age1qxk7m3r0t8vz5w9y2c4e6g8j0l3n5p7s9u2v4x6z8a0c2e4f6h8ql5wt9" },
    {
      kind: "public-key",
      text: "pub   ed25519 2023-04-01 [SC]\n      18284a6d4f683f5b8b626fb1921771ee05fc3c15\nuid           [ultimate] Release Key <release@kettle.test>",
    },
    {
      kind: "certificate",
      text:
        "--" +
        "---BEGIN CERTIFICATE-----\nMIIBtTCCAVugAwIBAgIUEs5qcq0gECeuakF7LLR8ug/5VK45Z6z4aE7u5meKJa2u\nWl6O0w4Av2H3LXQVSq29NdtYmKSxwHfnIukH0a2ryc3HaYRdW2uDGAJrIFCy1nOT\nSpX5aDT9yRVK4mGLOesW2kwSKz1C3RnT9auZQs==\n-----END CERTIFICATE-----",
    },
    {
      kind: "certificate",
      text: "        Serial Number:\n            4b:19:0f:a2:77:c3:5e:91:d0:08\n        Subject Public Key Info:\n            Public Key Algorithm: id-ecPublicKey\n            X509v3 Subject Key Identifier: 9F:21:BC:40:7D:EE:13",
    },
    {
      kind: "token-count",
      text: '"usage": { "input_tokens": 18234, "output_tokens": 911, "cache_read_input_tokens": 16000, "total_tokens": 35145 }',
    },
    { kind: "token-count", text: "max_tokens: 4096\ntoken_budget=200000\nTokens: 1,284 prompt + 310 completion" },
    {
      kind: "token-count",
      text: '{ "bos_token": "<s>", "eos_token": "</s>", "pad_token": "[PAD]", "unk_token": "<unk>" }',
    },
    { kind: "token-count", text: "keys: 18234, expires: 120, avg_ttl: 55310\ntoken bucket: capacity=100 refill=10/s" },
    {
      kind: "test-output",
      text: " PASS  src/auth/password.test.ts\n  ✓ rejects a short password (4 ms)\n  ✓ refreshes the token once (11 ms)\nTests: 2 passed, 2 total",
    },
    {
      kind: "test-output",
      text: "--- PASS: TestPasswordReset (0.02s)\n--- PASS: TestTokenExpiry/expired (0.00s)\nok  \tkettle/auth\t0.412s",
    },
    { kind: "test-output", text: "ok 14 - secret: is masked in logs\n# pass: 14\n# fail: 0" },
    {
      kind: "test-output",
      text: "tests/test_login.py::test_wrong_password PASSED                          [ 50%]\ntests/test_login.py::test_token[expired] PASSED                          [100%]",
    },
    {
      kind: "help",
      text: "  -p, --password[=name]\n                      Password to use when connecting to server. If password is\n                      not given it's asked from the tty.",
    },
    {
      kind: "help",
      text: "Usage:  gh secret set <secret-name> [flags]\n\nFLAGS\n  -b, --body string    The value for the secret (reads from standard input if not specified)",
    },
    {
      kind: "help",
      text: "-u, --user <user:password>\n       Specify the user name and password to use for server authentication.",
    },
    { kind: "help", text: "  -token-ttl=<duration>\n      Time to live of the token. Default: 768h." },
    {
      kind: "ddl",
      text: "CREATE TABLE users (\n  id BIGSERIAL PRIMARY KEY,\n  password VARCHAR(255) NOT NULL,\n  api_token CHAR(64) UNIQUE,\n  secret BYTEA\n);",
    },
    {
      kind: "ddl",
      text: "ALTER TABLE accounts ADD COLUMN password_changed_at TIMESTAMPTZ DEFAULT now();\nALTER TABLE accounts RENAME COLUMN pwd TO password_hash;",
    },
    {
      kind: "ddl",
      text: "add_column :users, :reset_password_token, :string\nadd_index :users, :reset_password_token, unique: true",
    },
    {
      kind: "ddl",
      text: "| Field    | Type         | Null | Key | Default |\n|----------|--------------|------|-----|---------|\n| password | varchar(255) | NO   |     | NULL    |\n| token    | char(64)     | YES  | UNI | NULL    |",
    },
    {
      kind: "columns",
      text: " table_name | column_name\n------------+------------------\n users      | password_digest\n sessions   | refresh_token\n api        | client_secret",
    },
    { kind: "columns", text: "id,email,password_hash,otp_secret,token_expires_at" },
    {
      kind: "docs",
      text: "Set the `DB_PASSWORD` environment variable, or put the password into the keyring with `keyring set kettle db`.",
    },
    {
      kind: "docs",
      text: "| Parameter | Type   | Required | Description              |\n|-----------|--------|----------|--------------------------|\n| password  | string | yes      | Password of the user     |\n| token     | string | no       | Token from the last call |",
    },
    {
      kind: "docs",
      text: "/**\n * @param {string} password - Plain password, never stored\n * @returns {Promise<Token>} token: valid for one hour\n */",
    },
    { kind: "docs", text: "password: the encrypted user password, an asterisk (*), or the letter 'x'" },
    { kind: "docs", text: "## Secrets\n- Password: see the team vault\n- Token: ask Ops\n- API key: not needed" },
    {
      kind: "policy",
      text: "Password: at least 14 characters, one digit, one capital letter; no reuse of the last 10 passwords.",
    },
    { kind: "policy", text: "minlen = 14\ndcredit = -1\npassword requisite pam_pwquality.so retry=3" },
    {
      kind: "policy",
      text: '"MinimumPasswordLength": 14,\n"RequireSymbols": true,\n"PasswordReusePrevention": 24,\n"MaxPasswordAge": 90',
    },
    {
      kind: "policy",
      text: "Passwörter werden alle 180 Tage gewechselt; das Passwort darf nicht weitergegeben werden.",
    },
    {
      kind: "prose",
      text: "The password is wrong when the keyboard layout is switched, so the token never refreshes. The secret: patience.",
    },
    {
      kind: "prose",
      text: "How do I store the password so that it is not in the shell history? Is a token better than a password?",
    },
    { kind: "prose", text: "Le mot de passe est obligatoire et doit être saisi deux fois." },
    { kind: "prose", text: "La contraseña es incorrecta. Pulse aquí si ha olvidado su contraseña." },
    { kind: "prose", text: "Das Passwort ist abgelaufen, bitte neu setzen. Kennwort: siehe Tresor." },
    { kind: "prose", text: "密码是必填项，请联系管理员重置密码。" },
    { kind: "prose", text: "パスワードは8文字以上で入力してください。" },
    { kind: "prose", text: "A senha é obrigatória e não pode ser igual ao nome do usuário." },
    { kind: "prose", text: "Пароль должен содержать не менее 12 символов. Забыли пароль?" },
    {
      kind: "prose",
      text: "The key is to keep the public API small; the secret sauce is caching, and a token gesture won't do.",
    },
    {
      kind: "commit",
      text: "fix(auth): password reset token expires after 15 minutes\nfeat(secrets): add --password-stdin flag",
    },
    {
      kind: "commit",
      text: "### 2.4.0\n- Password: show strength meter\n- Token: sliding expiry\n- Secret rotation is now automatic",
    },
    {
      kind: "commit",
      text: "* feature/password-policy\n  fix/token-refresh-race\n  remotes/origin/chore/rotate-secrets",
    },
    {
      kind: "log",
      text: "sshd[4411]: Failed password for invalid user admin from 203.0.113.77 port 50122 ssh2\nsshd[4411]: Accepted publickey for lea from 10.0.0.5",
    },
    { kind: "log", text: "ERROR 1045 (28000): Access denied for user 'shop'@'10.0.0.4' (using password: YES)" },
    {
      kind: "log",
      text: 'FATAL:  password authentication failed for user "billing"\nDETAIL:  Connection matched pg_hba.conf line 95: "host all all 0.0.0.0/0 scram-sha-256"',
    },
    {
      kind: "log",
      text: "[INFO]  expiration: revoked lease: lease_id=auth/token/create/h4a9\n[INFO]  secrets: enabled kv at path=secret/",
    },
    {
      kind: "log",
      text: "WARN  TokenService - token: expired, refreshing (user=ina, age=3605s)\nINFO  TokenService - token: refreshed",
    },
    { kind: "log", text: "[sudo] password for lea: \nSorry, try again." },
    {
      kind: "log",
      text: "NAME            TYPE                                  DATA   AGE\npg-main         Opaque                                2      41d\nregistry-pull   kubernetes.io/dockerconfigjson        1      41d",
    },
    {
      kind: "log",
      text: "NAME               UPDATED\nDEPLOY_PASSWORD    about 3 months ago\nNPM_TOKEN          about 2 days ago",
    },
    { kind: "log", text: "passwd: password updated successfully\nchage: Password expires: never" },
    {
      kind: "shortcuts",
      text: "| Key          | Action                  |\n|--------------|-------------------------|\n| Ctrl+Shift+P | Generate password       |\n| Ctrl+B       | Copy user name          |\n| Alt+K        | Show key                |",
    },
    {
      kind: "shortcuts",
      text: '{ "key": "ctrl+alt+p", "command": "extension.generatePassword", "when": "editorTextFocus" }',
    },
    { kind: "shortcuts", text: 'nnoremap <leader>pw :PasswordGenerate<CR>\nlet g:key = "<C-k>"' },
    {
      kind: "config",
      text: 'auth_basic "Restricted";\nauth_basic_user_file /etc/nginx/.htpasswd;\nssl_certificate_key /etc/ssl/private/site.key;',
    },
    {
      kind: "config",
      text: "PasswordAuthentication no\nPermitEmptyPasswords no\nAuthorizedKeysFile .ssh/authorized_keys",
    },
    {
      kind: "config",
      text: '"no-secrets/no-secrets": ["error", { "tolerance": 4.2 }],\n"sonarjs/no-hardcoded-passwords": "warn"',
    },
    { kind: "config", text: "password_login: enabled\ntoken_refresh: true\nsecret_scanning: on\npasswordless: false" },
    { kind: "config", text: '[[rules]]\nid = "generic-password"\nkeywords = ["password", "passwd", "pwd"]' },
    {
      kind: "config",
      text: "# TYPE  DATABASE  USER  ADDRESS      METHOD\nhost    all       all   10.0.0.0/8   scram-sha-256\nlocal   all       all                password",
    },
    {
      kind: "config",
      text: '"passwordPolicy": "length(12) and digits(1) and notUsername(undefined)",\n"accessTokenLifespan": 300',
    },
    {
      kind: "config",
      text: "export const keys = { user: ['user'], token: ['auth', 'token'], secretList: ['secrets', 'list'] };",
    },
    {
      kind: "config",
      text: 'partition_key = "tenant_id"\nsort_key: created_at\nPRIMARY KEY (order_id), FOREIGN KEY (user_id)',
    },
    {
      kind: "config",
      text: "- name: Set password\n  ansible.builtin.user:\n    name: deploy\n    password: \"{{ deploy_pw | password_hash('sha512') }}\"\n  no_log: true",
    },
    { kind: "config", text: 'network={\n    ssid="Free Station WiFi"\n    key_mgmt=NONE\n}' },
    {
      kind: "terminal-near",
      text: "-rw------- 1 lea lea  411 May  2 09:00 id_ed25519\n-rw-r--r-- 1 lea lea  102 May  2 09:00 password-policy.md\ndrwx------ 2 lea lea 4096 May  2 09:00 secrets/",
    },
    {
      kind: "terminal-near",
      text: "src/auth.ts:12:export function hashPassword(password: string): Promise<string> {\nsrc/auth.ts:40:  const token = await issueToken(user.id);",
    },
    {
      kind: "terminal-near",
      text: "-    password: str\n+    password: SecretStr\n-    token = get_token()\n+    token = await get_token()",
    },
    {
      kind: "terminal-near",
      text: 'background: url("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");',
    },
    {
      kind: "terminal-near",
      text: '//# sourceMappingURL=password-field.9f31c0ab.js.map\n<script src="/assets/token-list-B7dK2xQa.js" type="module"></script>',
    },
  ],
};
