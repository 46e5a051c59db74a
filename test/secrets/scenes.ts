// Credentials recognisable only by their position: a key file, a login on a command line, a cookie.
import { jwt, WEAK_PASSWORDS } from "./kinds.ts";
import { ALNUM, BASE64, DIGITS, HEX, LOWER, type Random, UPPER } from "./random.ts";

export interface Scene {
  name: string;
  make(random: Random): { text: string; secrets: string[] };
}

const encode64 = (text: string): string => Buffer.from(text).toString("base64");
const password = (r: Random): string =>
  `${r.text(LOWER, 4)}${r.text(DIGITS, 2)}${r.text(UPPER, 2)}${r.text(ALNUM, 4)}7`;
const weak = (r: Random): string => r.pick(WEAK_PASSWORDS);

export const SCENES: readonly Scene[] = [
  ...["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "].map((label) =>
    scene(`${label || "PKCS8 "}private key`, (r) => pem(r, label)),
  ),
  scene("private key in JSON", (r) => {
    const { text, secrets } = pem(r, "");
    return {
      text: JSON.stringify({ type: "service_account", private_key: text, client_email: "a@b.example" }),
      secrets,
    };
  }),
  scene("private key in base64", (r) => {
    const encoded = encode64(pem(r, "RSA ").text);
    return { text: `data:\n  tls.key: ${encoded}\nkind: Secret`, secrets: [encoded] };
  }),
  scene("private key in a listing", (r) => {
    const { text, secrets } = pem(r, "RSA ");
    return {
      text: text
        .split("\n")
        .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
        .join("\n"),
      secrets,
    };
  }),
  scene("pgp key", (r) => pem(r, "PGP ", " BLOCK")),
  scene("putty key", (r) => {
    const lines = [r.text(BASE64, 64), r.text(BASE64, 64)];
    return {
      text: `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 2\n${lines.join("\n")}\nPrivate-MAC: x`,
      secrets: lines,
    };
  }),
  scene("wireguard", (r) => {
    const key = `${r.text(BASE64, 43)}=`;
    return { text: `[Interface]\nPrivateKey = ${key}\nAddress = 10.0.0.2/24`, secrets: [key] };
  }),
  ...["postgres", "mysql", "mongodb+srv", "redis", "amqp", "smtp", "ftp"].map((scheme) =>
    one(`${scheme} address`, password, (value) => `DATABASE=${scheme}://app:${value}@db.internal:5432/app?ssl=1`),
  ),
  one("weak password in an address", weak, (value) => `psql postgres://app:${value}@localhost/app -c 'select 1'`),
  one(
    "address in an address",
    password,
    (value) => `?dsn=${encodeURIComponent(`postgres://app:${value}@db:5432/app`)}&x=1`,
  ),
  one("JDBC", password, (value) => `jdbc:mysql://db:3306/app?user=app&password=${value}&useSSL=false`),
  one("SQL Server", password, (value) => `Server=tcp:db,1433;Database=app;User ID=sa;Password=${value};Encrypt=true;`),
  one("libpq", password, (value) => `psql "host=db user=app password=${value} dbname=app"`),
  one("PGPASSWORD", weak, (value) => `PGPASSWORD=${value} pg_dump -h db app > dump.sql`),
  one("pgpass", password, (value) => `$ cat ~/.pgpass\ndb.internal:5432:app:ann:${value}\n`),
  one("netrc", password, (value) => `machine api.example.com\n  login ann\n  password ${value}\n`),
  one("netrc in one line", weak, (value) => `machine git.example.com login ann password ${value}`),
  one("netrc in JSON", weak, (value) =>
    JSON.stringify({ stdout: `machine git.example.com\nlogin ann\npassword ${value}\n` }),
  ),
  one("mysql -p", password, (value) => `mysql -h db -u root -p${value} app < schema.sql`),
  one("mysqldump -p", weak, (value) => `mysqldump -uroot -p${value} --all-databases > all.sql`),
  one("sshpass", password, (value) => `sshpass -p ${value} ssh ann@host uptime`),
  one("sshpass in quotes", weak, (value) => `sshpass -p '${value}' scp a b:`),
  one("docker login", password, (value) => `docker login -u ann -p ${value} registry.example.com`),
  one("redis-cli", password, (value) => `redis-cli -h cache -a ${value} ping`),
  one("curl -u", password, (value) => `curl -sS -u ann:${value} https://example.com/api`),
  one("curl -u with a word", weak, (value) => `curl --user ann:${value} https://example.com`),
  one("wget", password, (value) => `wget --user=ann --password=${value} https://example.com/a.tgz`),
  one("ldap", password, (value) => `ldapsearch -x -D cn=admin,dc=example -w ${value} -b dc=example`),
  one("sqlcmd", password, (value) => `sqlcmd -S db -U sa -P ${value} -Q "select 1"`),
  one("openssl", password, (value) => `openssl rsa -in key.pem -passin pass:${value} -out plain.pem`),
  one("keytool", weak, (value) => `keytool -genkey -keystore a.jks -storepass ${value} -alias web`),
  one("zip", password, (value) => `7z x -p${value} backup.7z`),
  one("echo to sudo", password, (value) => `echo '${value}' | sudo -S apt-get update`),
  one("htpasswd", password, (value) => `htpasswd -b -c .htpasswd ann ${value}`),
  one("chpasswd", password, (value) => `echo "ann:${value}" | chpasswd`),
  one("SQL user", weak, (value) => `CREATE USER app WITH PASSWORD '${value}';`),
  one("SQL identified by", weak, (value) => `GRANT ALL ON app.* TO 'app'@'%' IDENTIFIED BY '${value}';`),
  one("YAML word", weak, (value) => `database:\n  user: app\n  password: ${value}\n  pool: 5`),
  one("YAML word at the end", weak, (value) => `smtp:\n  host: mail\n  password: ${value}`),
  one("YAML list of words", weak, (value) => `users:\n  - name: ann\n    passwd: ${value}\n  - name: bob`),
  one("environment word", weak, (value) => `MYSQL_ROOT_PASSWORD=${value}\nMYSQL_DATABASE=app`),
  one("compose word", weak, (value) => `environment:\n  POSTGRES_PASSWORD: ${value}\n  POSTGRES_DB: app`),
  one("JSON word", weak, (value) => JSON.stringify({ user: "app", password: value })),
  one("code word", weak, (value) => `connect({ user: "app", password: "${value}" })`),
  one("said", password, (value) => `The password is ${value}, please log in and look.`),
  one("said of a word", weak, (value) => `the admin password is "${value}" on staging`),
  one("said in a line", weak, (value) => `Password: ${value}\n`),
  one(
    "PIN",
    (r) => r.text(DIGITS, 6),
    (value) => `vault:\n  passcode: ${value}`,
  ),
  one(
    "docker config",
    (r) => encode64(`ann:${password(r)}`),
    (value) => JSON.stringify({ auths: { "ghcr.io": { auth: value } } }, null, 2),
  ),
  one(
    "docker config of words",
    (r) => encode64(`ann:${weak(r)}`),
    (value) => `{"auths":{"ghcr.io":{"auth":"${value}"}}}`,
  ),
  one(
    "basic header",
    (r) => encode64(`ann:${password(r)}`),
    (value) => `curl -H "Authorization: Basic ${value}" https://example.com`,
  ),
  one(
    "npmrc",
    (r) => r.text(HEX, 32),
    (value) => `registry=https://npm.example.com/\n//npm.example.com/:_authToken=${value}`,
  ),
  one(
    "npmrc by password",
    (r) => encode64(password(r)),
    (value) => `//npm.example.com/:_password="${value}"\n//npm.example.com/:username=ann`,
  ),
  one("pip", password, (value) => `[global]\nindex-url = https://ann:${value}@pypi.example.com/simple`),
  one("maven", weak, (value) => `<server><id>nexus</id><username>ann</username><password>${value}</password></server>`),
  one("gradle", password, (value) => `signing.keyId=ABCD\nsigning.password=${value}\nossrhUsername=ann`),
  one(
    "cookie",
    (r) => r.text(ALNUM, 32),
    (value) => `Cookie: theme=dark; sessionid=${value}; lang=en`,
  ),
  one(
    "set-cookie",
    (r) => r.text(HEX, 40),
    (value) => `< set-cookie: connect.sid=${value}; Path=/; HttpOnly`,
  ),
  one(
    "slack webhook",
    (r) => `T${r.text(UPPER, 8)}/B${r.text(UPPER, 8)}/${r.text(ALNUM, 24)}`,
    (value) => `curl -X POST https://hooks.slack.com/services/${value}`,
  ),
  one(
    "discord webhook",
    (r) => `${r.text(DIGITS, 18)}/${r.text(ALNUM, 68)}`,
    (value) => `https://discord.com/api/webhooks/${value}`,
  ),
  one(
    "teams webhook",
    (r) => `${r.text(HEX, 32)}/${r.text(HEX, 8)}-1111-4222-8333-${r.text(HEX, 12)}`,
    (value) => `https://acme.webhook.office.com/webhookb2/x@y/IncomingWebhook/${value}`,
  ),
  one(
    "presigned address",
    (r) => r.text(HEX, 64),
    (value) => `https://b.s3.amazonaws.com/a.zip?X-Amz-Date=20260101T000000Z&X-Amz-Signature=${value}`,
  ),
  one(
    "azure signature",
    (r) => `${r.text(ALNUM, 43)}%3D`,
    (value) => `https://x.blob.core.windows.net/c/a?sv=2024-01-01&sig=${value}`,
  ),
  one(
    "azure connection",
    (r) => `${r.text(BASE64, 86)}==`,
    (value) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${value};EndpointSuffix=core.windows.net`,
  ),
  one(
    "aws credentials file",
    (r) => r.text(BASE64, 40),
    (value) => `[default]\naws_access_key_id = ${"AK"}IA2222222222222222\naws_secret_access_key = ${value}`,
  ),
  one(
    "aws configure",
    (r) => r.text(BASE64, 40),
    (value) => `AWS Secret Access Key [None]: ${value}\nDefault region name [None]: eu-west-1`,
  ),
  one(
    "aws sts",
    (r) => r.text(BASE64, 300),
    (value) => JSON.stringify({ Credentials: { SessionToken: value, Expiration: "2026-01-01" } }),
  ),
  one("kubeconfig", jwt, (value) => `users:\n- name: ann\n  user:\n    token: ${value}`),
  one(
    "kubeadm",
    (r) => `${r.text(HEX, 6)}.${r.text(HEX, 16)}`,
    (value) => `kubeadm join 10.0.0.1:6443 --token ${value} --discovery-token-unsafe-skip-ca-verification`,
  ),
  one(
    "bcrypt",
    (r) => `$2b$10$${r.text(ALNUM, 53)}`,
    (value) => `ann | ${value} | 2026-01-01`,
  ),
  one(
    "shadow",
    (r) => `$6$${r.text(ALNUM, 16)}$${r.text(ALNUM, 86)}`,
    (value) => `root:${value}:19700:0:99999:7:::`,
  ),
  one(
    "argon2",
    (r) => `$argon2id$v=19$m=65536,t=3,p=4$${r.text(BASE64, 22)}$${r.text(BASE64, 43)}`,
    (value) => `hash: ${value}`,
  ),
  one(
    "otp seed",
    (r) => r.text(`${UPPER}234567`, 32),
    (value) => `otpauth://totp/app:ann?secret=${value}&issuer=app`,
  ),
  one(
    "rails master key",
    (r) => r.text(HEX, 32),
    (value) => `secret_key_base: ${value}`,
  ),
  one(
    "django",
    (r) => `django-insecure-${r.text(`${LOWER}${DIGITS}@#^*`, 50)}`,
    (value) => `SECRET_KEY = '${value}'\nDEBUG = True`,
  ),
  one(
    "ethereum key",
    (r) => `0x${r.text(HEX, 64)}`,
    (value) => `const privateKey = "${value}";`,
  ),
  one(
    "gh login",
    (r) => `${"gh"}o_${r.text(ALNUM, 36)}`,
    (value) => `github.com\n  ✓ Logged in to github.com as ann\n  - Token: ${value}`,
  ),
  one(
    "git credentials",
    (r) => `${"gh"}p_${r.text(ALNUM, 36)}`,
    (value) => `$ cat ~/.git-credentials\nhttps://ann:${value}@github.com\n`,
  ),
  one(
    "long token across a cut",
    (r) => `${jwt(r)}${r.text(ALNUM, 40_000)}`,
    (value) => `${"lorem ipsum ".repeat(900)} ${value} ${"dolor sit ".repeat(90)}`,
  ),
  one(
    "longest token across a cut",
    (r) => r.text(ALNUM, 90_000),
    (value) => `${"lorem ipsum ".repeat(2000)} TOKEN=${value}`,
  ),
];

function pem(random: Random, label: string, end = ""): { text: string; secrets: string[] } {
  const lines = Array.from({ length: 6 }, () => random.text(BASE64, 64));
  const name = `${label}${"PRIVATE"} KEY${end}`;
  return { text: `-----BEGIN ${name}-----\n${lines.join("\n")}\n-----END ${name}-----`, secrets: lines };
}

function scene(name: string, make: Scene["make"]): Scene {
  return { name, make };
}

function one(name: string, value: (random: Random) => string, text: (value: string) => string): Scene {
  return scene(name, (random) => {
    const secret = value(random);
    return { text: text(secret), secrets: [secret] };
  });
}
