// The table of secrets: the pattern of each kind. A test redacts the sample of each row.
import { alnum, hex, isUnmasked, lazy, type Secret, patternRows } from "./secret.ts";
import { ASSIGNMENTS } from "./key-value-rows.ts";
import { COMMANDS } from "./commands.ts";
import { PROTOCOLS } from "./protocols.ts";
import { encodedSecrets } from "./encoded.ts";
import { isMixed, isPlaceholder, isTemplate } from "./placeholders.ts";

const KEY_LINE = `MII${alnum(61)}`;
/** Unambiguous prefixes of keys. */
const LEADS = (
  "sntrys_ sntryu_ glsa_ glc_ NRAK- PMAK- figd_ sbp_ sb_secret_ pscale_ tskey- nfp_ nvapi- lsv2_ " +
  "tvly- CFPAT- xkeysib- phx_ vercel_blob_rw_ pcsk_ ops_eyJ CCIPAT_ bkua_ sgp_ pul- squ_ sqp_ sqa_ " +
  "sq0atp- sq0csp- tfp_ sha256~ csk- dt0c01. sk.eyJ GR1348941"
).split(" ");

const LINE_END = String.raw`(?:\d{1,6}[→:|\t]|\s|\\{1,4}[nr]|["',>|])`;
const PEM_LABEL = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

/** Columns: name, sample, hints, pattern. */
const SHAPES: readonly Secret[] = [
  ...patternRows(String.raw`
    age-key               AGE-SECRET-KEY-1${hex(58).toUpperCase()}       AGE-SECRET-KEY-1           AGE-SECRET-KEY-1[A-Z0-9]{20,}
    aws-key-id            AKIA${hex(16).toUpperCase()}                   AKIA|ASIA                  A[KS]IA[A-Z0-9]{16}
    gcp-api-key           AIza${alnum(35)}                               AIza                       AIza[\w-]{35,}
    google-oauth          ya29.${alnum(40)}                              ya29.|GOCSPX-|1//0         (?:ya29\.|GOCSPX-|1//0)[\w-]{20,}
    azure-key             AccountName=x;AccountKey=${alnum(80)}==        AccountKey=|SharedAccessKey=   (?:AccountKey|SharedAccessKey)=([\w+/=-]{20,})
    azure-signature       ?sv=2024-01-01&sig=${alnum(43)}%3D             sig=                       [?&;]sig=([\w%+/=-]{20,})
    azure-client-secret   abc8Q~${alnum(34)}                             Q~                         [\w~.]{3}\dQ~[\w~.-]{31,}
    digitalocean          dop_v1_${hex(64)}                              _v1_                       do[opr]_v1_[0-9a-f]{40,}
    heroku                HRKU-AA${alnum(58)}                            HRKU-                      HRKU-[\w-]{30,}
    fly                   FlyV1 fm2_${alnum(60)}                         fo1_|fm1|fm2_              (?:fo1_|fm1[ar]?_|fm2_)[\w+/=,-]{20,}
    vault                 hvs.${alnum(24)}                               hvs.|hvb.                  hv[sb]\.[\w-]{20,}
    terraform             ${alnum(14)}.atlasv1.${alnum(67)}              .atlasv1.                  \.atlasv1\.(?<=(?<lead>[A-Za-z0-9]{14})\.atlasv1\.)[\w-]{40,}
    doppler               dp.pt.${alnum(43)}                             dp.                        dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}
    databricks            dapi${hex(32)}                                 dapi                       dapi[0-9a-f]{32}(?:-\d)?
    github                ghp_${alnum(36)}                               ghp_|gho_|ghu_|ghs_|ghr_   gh[pousr]_[A-Za-z0-9]{36,}
    github                github_pat_${alnum(22)}_${alnum(59)}           github_pat_                github_pat_\w{22,}
    gitlab                glpat-${alnum(20)}                             glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-   gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w.-]{20,}
    atlassian             ATBB${alnum(32)}                               ATBB|ATATT3|ATCTT3         (?:ATBB|ATATT3|ATCTT3)[\w=-]{24,}
    npm                   npm_${alnum(36)}                               npm_                       npm_[A-Za-z0-9]{36,}
    pypi                  pypi-AgEIcHlwaS5vcmc${alnum(70)}               pypi-                      pypi-[\w-]{32,}
    rubygems              rubygems_${hex(48)}                            rubygems_                  rubygems_[0-9a-f]{40,}
    docker                dckr_pat_${alnum(27)}                          dckr_                      dckr_(?:pat|oat)_[\w-]{20,}
    anthropic             sk-ant-api03-${alnum(80)}                      sk-                        sk-ant-[\w-]{20,}
    groq                  gsk_${alnum(52)}                               gsk_                       gsk_[A-Za-z0-9]{40,}
    perplexity            pplx-${alnum(48)}                              pplx-                      pplx-[A-Za-z0-9]{40,}
    xai                   xai-${alnum(80)}                               xai-                       xai-[A-Za-z0-9]{40,}
    replicate             r8_${alnum(37)}                                r8_                        r8_[A-Za-z0-9]{30,}
    huggingface           hf_${alnum(34)}                                hf_|api_org_               (?:hf_|api_org_)[A-Za-z0-9]{30,}
    slack                 xoxb-123456789012-${alnum(24)}                 xox                        xox[a-z](?:\.xox[a-z])?-[\w-]{10,}
    slack                 xapp-1-A0123456789-1234567890123-${hex(64)}    xapp-                      xapp-\d-[\w-]{20,}
    slack-webhook         https://hooks.slack.com/services/T01234567/B01234567/${alnum(24)}   hooks.slack                hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([\w/+-]{20,})
    discord-webhook       https://discord.com/api/webhooks/123456789012345678/${alnum(68)}   /api/webhooks/             /api/webhooks/(\d{10,20}/[\w-]{30,})
    telegram              123456789:AA${alnum(33)}                       :AA                        \d{6,12}:AA[\w-]{32,}
    stripe                sk_live_${alnum(24)}                           k_live_|k_test_            [sr]k_(?:live|test)_[A-Za-z0-9]{16,}
    stripe-webhook        whsec_${alnum(32)}                             whsec_                     whsec_[\w+/=-]{24,}
    twilio                SK${hex(32)}                                   SK                         SK[0-9a-f]{32}
    sendgrid              SG.${alnum(22)}.${alnum(43)}                   SG.                        SG\.[\w-]{16,32}\.[\w-]{32,}
    okta                  Authorization: SSWS 00${alnum(40)}             SSWS |                     SSWS ([\w-]{30,})
    dropbox               sl.B${alnum(70)}                               sl.B|sl.u.                 (?:(?<![\w.])|(?<=\\[nrt]))sl\.[\w-]{60,}
    resend                new Resend("re_${alnum(8)}_${alnum(24)}")      esend|ESEND                (?:(?<!\w)|(?<=\\[nrt]))re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{18,}
    launchdarkly          sdk-${hex(8)}-1111-4222-8333-${hex(12)}        sdk-|mob-                  (?:sdk|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
    airtable              airtable pat${alnum(14)}.${hex(64)}            irtable|IRTABLE            (?:(?<!\w)|(?<=\\[nrt]))pat[A-Za-z0-9]{14}\.[0-9a-f]{64}
    twilio                Client("AC${hex(32)}", "${[...hex(32)].toReversed().join("")}")   lient(                     AC[0-9a-f]{32}\\{0,3}["'],? {0,2}\\{0,3}["']([0-9a-f]{32})(?=\\{0,3}["'])
    mailgun               key-${hex(32)}                                 key-                       key-[0-9a-f]{32}
    shopify               shpat_${hex(32)}                               shp                        shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}
    linear                lin_api_${alnum(40)}                           lin_                       lin_(?:api|oauth)_[A-Za-z0-9]{30,}
    notion                ntn_${alnum(46)}                               ntn_|secret_               (?:ntn|secret)_[A-Za-z0-9]{40,}
    api-key               EZAK${alnum(54)}                               AKCp|LTAI|EZAK|EZTK        (?:(?<![\w+/])|(?<=\\[nrt]))(?:AKCp[A-Za-z0-9]{60,}|LTAI[A-Za-z0-9]{16,26}|EZ[AT]K[A-Za-z0-9]{54})(?![\w+/-])
    webhook               ?X-Amz-Signature=${hex(64)}                    .webhook.office.com/|X-Amz-Signature=|X-Goog-Signature=   (?:\.webhook\.office\.com/webhookb2/|X-(?:Amz|Goog)-Signature=)([\w@/-]{40,})
    jwt                   eyJ${alnum(30)}.eyJ${alnum(60)}.${alnum(43)}   .eyJ                       \.eyJ(?<=(?<lead>eyJ[\w-]{8,})\.eyJ)[\w-]{8,}(?:\.[\w-]*)?
    docker-config         .dockerconfigjson: eyJhdXRocyI6${alnum(60)}    eyJhdXRocyI6               eyJhdXRocyI6[\w+/=]{16,}
    private-key           client-key-data: ${alnum(64)}                  client-key-data|tls.key    (?:client-key-data|tls\.key)["'\\]{0,4}[ \t]{0,4}:[ \t]{0,4}["'\\]{0,4}([A-Za-z0-9+/]{20,}={0,2})
  `),
  {
    // Up to the closing line or the end of the text. Needs base64 after the header: prose may mention the header.
    name: "private-key",
    hints: ["-----BEGIN "],
    pattern: lazy(
      String.raw`-----BEGIN ${PEM_LABEL}(?=[^]{0,160}?(?:[A-Za-z0-9+/]{20}|-----END )|[\w+/=\s\\]{0,160}$)(?:[^]*?-----END ${PEM_LABEL}|[^]*)`,
    ),
    sample: `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${KEY_LINE}\n${KEY_LINE}\n-----END RSA PRIVATE KEY-----`,
  },
  {
    // The end of a key whose beginning is missing: base64 lines before it, also with line numbers or in JSON.
    name: "private-key",
    hints: ["-----END "],
    pattern: lazy(
      String.raw`-----END ${PEM_LABEL}(?<=(?<lead>(?:(?<!\\)[A-Za-z0-9+/=]{20,}${LINE_END}+)*` +
        String.raw`(?<!\\)[A-Za-z0-9+/=]{0,100}${LINE_END}*)-----END ${PEM_LABEL})`,
    ),
    sample: `${KEY_LINE}\n${KEY_LINE}\n-----END OPENSSH ${"PRIVATE"} KEY-----`,
    accept: (match) => /\S{16}/.test(match.groups?.["lead"] ?? ""),
  },
  {
    name: "putty-key",
    hints: ["Private-Lines:"],
    pattern: () =>
      /Private-Lines: \d{1,5}(?:\s|\\[nr])+((?:[A-Za-z0-9+/=]{20,}(?:\s|\\[nr]){1,2})+(?:[A-Za-z0-9+/=]{1,64}(?![\w+/=:-]))?)/g,
    sample: `Private-Lines: 2\n${KEY_LINE}\n`,
  },
  {
    name: "aws-secret-key",
    hints: ["ecret", "ECRET"],
    pattern: () =>
      /secret[_ -]?access[_ -]?key(?: \[[^\]\n]{0,40}\])?["'\\]{0,5}\s{0,4}[=:]{1,2}>?\s{0,4}["'\\]{0,5}([\w/+=]{40,})/gi,
    sample: `aws_secret_access_key = ${alnum(38)}/+`,
    accept: isUnmasked,
  },
  {
    name: "heroku",
    hints: ["eroku", "EROKU"],
    pattern: () => /heroku[^\n]{0,40}?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi,
    sample: `HEROKU_KEY=${hex(8)}-1111-4222-8333-${hex(12)}`,
    accept: isUnmasked,
  },
  {
    name: "npm",
    hints: ["_auth"],
    pattern: () => /(?<!\w)_auth(?:Token)?["'\\]{0,4}[ \t]*[=:][ \t]*["'\\]{0,4}([^\s"'\\,;]{8,})/g,
    sample: `//npm.example.com/:_authToken=${hex(32)}`,
    accept: (_, value) => !isPlaceholder(value),
  },
  {
    name: "openai",
    hints: ["sk-"],
    pattern: () => /sk-[\w-]{20,}/g,
    sample: `sk-proj-${alnum(48)}`,
    accept: (_, value) => /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)|[a-z0-9]{32}/.test(value),
  },
  {
    name: "discord",
    pattern: () => /\.(?=[\w-]{6}\.)(?<=(?<lead>[MNO][\w-]{23,27})\.)[\w-]{6}\.[\w-]{27,}/g,
    sample: `MT${alnum(24)}.G${alnum(5)}.${alnum(38)}`,
  },
  {
    name: "api-key",
    hints: LEADS,
    pattern: lazy(`(?:${LEADS.join("|").replaceAll(".", "\\.")})[\\w+/=.-]{20,}`),
    sample: `glsa_${alnum(32)}_${hex(8)}`,
    accept: isUnmasked,
  },
  {
    name: "jwk",
    hints: ['"kty', "'kty", "kty:"],
    pattern: () => /["'](?:d|p|q|dp|dq|qi|k)\\{0,3}["'][ \t]{0,4}:\s{0,4}\\{0,3}["']([\w-]{16,})/g,
    sample: `{"kty":"EC","crv":"P-256","x":"${hex(20)}","d":"${alnum(43)}"}`,
    accept: ({ input, index }) => /["']kty/.test(input.slice(Math.max(0, index - 2000), index + 2000)),
  },
  {
    name: "cookie",
    hints: ["TRUE\t", "FALSE\t", "TRUE\\t", "FALSE\\t"],
    pattern: () =>
      /(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)\/[^\t\n\\]{0,100}(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)\d{1,16}(?:\t|\\t)[^\t\n\\]{1,100}(?:\t|\\t)([^\s\\"]{6,4000})/g,
    sample: `.example.com\tTRUE\t/\tTRUE\t1767225600\tsid\t${alnum(32)}`,
    accept: ([all], value) =>
      (isMixed(value) || /(?:token|auth|sess|secret)\w*\\?t?\t?$/i.test(all.slice(0, -value.length))) &&
      !isPlaceholder(value),
  },
  {
    name: "cookie",
    hints: ["curl"],
    pattern: () => /curl\b[^\n]{0,300}?[ \t]-b[ \t]{0,4}["']?([\w.-]{1,60}=[^\s"']{8,4000})/g,
    sample: `curl -b 'PHPSESSID=${alnum(26)}' https://example.com`,
    accept: (_, value) => /\d/.test(value) && !isTemplate(value.slice(value.indexOf("=") + 1)),
  },
  {
    name: "bearer",
    hints: ["earer", "EARER"],
    pattern: () => /earer["'`:]{0,2}[ \t]+["'`]?([\w.~+/=-]{8,})/gi,
    sample: `curl -H 'Authorization: Bearer ${alnum(40)}'`,
    accept: (_, value) => isMixed(value) && !isPlaceholder(value),
  },
  {
    name: "cookie",
    hints: ["ookie", "OOKIE"],
    pattern: () => /cookie["'\\]{0,4}[ \t]{0,4}[:=\t ][ \t]{0,4}["'\\]{0,4}([^\s=;"'\\]{1,80}=[^\r\n"'\\]{4,})/gi,
    sample: `Set-Cookie: sid=${alnum(32)}; Path=/; HttpOnly`,
    accept: (_, value) => /=[^;\s=]*\d[^;\s]{7}|=[^;\s=]{7,}\d/.test(value),
  },
  {
    name: "url-password",
    hints: ["://", ":\\/\\/"],
    pattern: () => /:\\?\/\\?\/(?:[^\s/?#:@"'`<>\\]|\\(?![nrt"'])){0,200}:([^\s/"'`<>\\]{1,200})(?=@[\w.[-])/g,
    sample: "postgres://app:s3cr3t-Passw0rd@db.example.com:5432/app",
    accept: (_, value) => !isTemplate(value) && !/^(?:\d{1,5}[?#]|(?:password|PASSWORD|PASS)$)/.test(value),
  },
  {
    // Passwords with "/" or "'", for schemes whose URLs always have a login.
    name: "url-password",
    hints: (
      "gres:// sql:// riadb:// godb:// +srv:// dis:// diss:// mqp:// mqps:// ftp:// ftps:// smtp:// smtps:// dap:// daps:// " +
      "server:// house:// nats:// mqtt:// mqtts://"
    ).split(" "),
    pattern: () =>
      /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|ftps?|sftp|smtps?|ldaps?|mssql|sqlserver|clickhouse|nats|mqtts?):\/\/[^\s/?#:@"'`<>\\]{0,100}:([^\s"`<>\\]{1,100})(?=@[\w.[-]{1,100}(?:[:/?\s"'`,;)]|$))/g,
    sample: "amqp://app:s3cr3t/Pass'w0rd@mq:5672/app",
    accept: (_, value) => !isTemplate(value) && !/^(?:\d{1,5}(?:[/?#]|$)|(?:password|PASSWORD|PASS)$)/.test(value),
  },
  {
    // The URL of a proxy. The password may contain a slash.
    name: "url-password",
    hints: ["proxy=", "PROXY=", "proxy: ", "proxy = "],
    pattern: () => /(?:proxy|PROXY)[ \t]?[=:][ \t]?["']?https?:\/\/[^\s/:@"']{1,60}:([^\s"'@]{3,80})(?=@[\w.-])/g,
    sample: "http_proxy=http://ann:s3cr3t/Passw0rd@proxy:3128",
    accept: (_, value) => !isTemplate(value),
  },
  {
    name: "curl-user",
    hints: ["curl"],
    pattern: () => /curl\b[^\n]{0,300}?[ \t](?:-u|--user)[ \t=]*["']?[^\s:"'<]{1,80}:([^\s"']{3,200})/g,
    sample: "curl -sS -u admin:s3cr3t-Passw0rd https://example.com",
    accept: (_, value) => !isPlaceholder(value),
  },
];
export const SECRETS: readonly Secret[] = [
  ...SHAPES,
  ...COMMANDS,
  ...PROTOCOLS,
  ...encodedSecrets(SHAPES),
  ...ASSIGNMENTS,
];
