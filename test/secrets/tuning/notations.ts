// Labelled passwords in many notations, and near-misses. The filter is tuned on these.
import type { Corpus } from "../measure-corpus.ts";

const R = String.raw;
const NB = "\u00a0";
const ESC = "\u001b";

// Made-up keys and tokens. Their prefixes are split, so that secret scanners do not report this file.
const AZKEY = "k5kceTCC0Ong39YBD6RB09RXlDbvriWnn3dhnz4B" + "QAF47e4UDCxdEgegSPelkPJgLEHtX9MEshMijypCiiphJi==";
const GHP = "gh" + "p_kSdJcjeN9WtuGPEExEBcJxW6RAzj2auVMQ1m";
const GHP2 = "gh" + "p_IXrEh4aDABNtLQyylSiCY4i7RD5bd5OoCD9l";
const GHO = "gh" + "o_KHedrLoEtPBC3TApNgqGF5JcqooSIfYQHvgm";
const GHS = "gh" + "s_HPZdzegdC5EztQ488RS3hcmCD76uxdRuLUlX";
const GHPAT = "github" + "_pat_11AZLQNTQBRFFKM2W1GSHX_jqB2AwxwRsCmntMJV8SDFTfCwf3EQgxr1zz7bCzJihZwPocfcHAZaCsxsgF";
const SLACKB = "xo" + "xb-082962020687-4120493737834-6B4UpPWaD6uRHtJczGxsZn5u";
const SLACKP = "xo" + "xp-662873758129-624908555604-6962734876327-c4133fabff96cdb9f821f8f631b19dc5";
const SLACKHOOK = "T0OGEJKFXY/B00U6N0Y73" + "/PWo4Cns7HqoS2q8aiZiRgNMk";
const AWSSEC = "5nqi7aTuBlVIcsdGwg" + "/4h5LOjkjwX+Si3lkiRYOt";
const AWSSEC2 = "7wLQypd2gihXfyIA0nQW" + "+EIs4zFgJReWUWmfq6b6";
const AWSID = "AK" + "IAPQEDE4T77I72NGNA";
const AWSSESS =
  "IQoJb3JpZ2luX2VjE" +
  "ALNdLoiSgAp+Tp4SwFXebTzXT2UBh067Zcm3LbBpt2U6svbP9+wgusdVbzDQe2hZ3drkUSaZzN3g0leWIhxbb2a3H5rvi4IwXpkOOFnKTad4qIqs/J0OOhgZl9mINkBZqviMqZB19TFMXugUpZ7H3y==";
const STRIPE =
  "sk" + "_live_517QYJpbRaJKQpSoFhqB7UfomrH6MJlTG0I9eofko9RhKETZW6EfWQMD2EzZl9ejFqtSYf0e6thPEoplT3xRMCD3vcbb6rKBgbn";
const STRIPER = "rk" + "_live_YsTHrsPLkSXfFBlHsFtFPzMX";
const STRIPEWH = "wh" + "sec_mFhl5GeGbug2H5nLlomYTkZM4z2JkEm2";
const OPENAI =
  "sk" +
  "-proj-K3TRRISvb3hrFOEmh2OVf3rWZaZ0tUki3VEZLFRkOOVQdmfhGU3fyBIVAHXS56j8Qi2xVwnAi5T3Blbk" +
  "FJWtLdCZQz23VRbD4j_k-RAESoQ4xCH92AhR-3gdzw2x-AutjQd_w8rbKoaZWlToakBQRqRNU1wy";
const OPENAI2 = "sk" + "-nEjPRjjeUUhMkuFdKPSsT3Blbk" + "FJGeVrtDtVnO6i9a73ISzU";
const ANTH =
  "sk" + "-ant-api03-yOa3xYirat4Vh7TkSPnaKEvsWjDPBt246RBo9nk2578XW-z_9jSqm0JIiw89S-f0wV3aq1eEWe0p2Kd4c_E5EYWr2zjuaAA";
const NPM = "np" + "m_93EfpmEf9OOCn7vOs1dE6aPFOlNWMz8oyjtt";
const GLPAT = "gl" + "pat-dIl9si6Olg_g3Cc_ryZP";
const GLRT = "gl" + "dt-EoivBM0Nf0Ug43fxCAjq";
const GOOG = "AI" + "zaSy7ygs-Nf5t6BZ5s8qSbdZkDGbVXP9ElWHV";
const GOCSPX = "GOC" + "SPX-qZk6Uzof_S4qBUYbpVCgzFcgCzwb";
const YA29 =
  "ya" +
  "29.a0A0bJ4wqtabLHvRpi1Ag4EiJerVxEeMv-qo_PV036r9KRkp21_3HzriqxHU27P96mx864D2_pNH8kMLUV2JSBQg9zWSkbYr-HyeH3yPu9_-PFjBkHmV53mnprW";
const TWTOK = "3d23a24c4fa4d246" + "48133e09abf38882";
const TWSID = "A" + "C03f52c3d1a5d82aee68736e336ffeb50";
const SENDGRID = "S" + "G.mLmL-6H5V2AMxW1oa_Yx9C.pp3v-NhTg6xdlkYMsnHKCXFDzGhkP3iSvGM_36lNQGu";
const MAILGUN = "ke" + "y-e40d3e4bd8fb4a3209e11bd08cac3900";
const DISCORD = "MTA4iq68tBVis0LXnmIxMTBS." + "GgyikV.5jDuMQF9WowmrkF08pXdjRmR-uV8_UxgTkITsH";
const TELEGRAM = "7636169212" + ":AAO55ehmVy0BAwHoXpiW3GhUwvTiCK75fwQ";
const DOPAT = "do" + "p_v1_130b7205e24cfd2013c652642cb6f0a77673df4bff58e2fadfe2763e37a44e96";
const PYPI =
  "py" +
  "pi-AgEIcHlwaS5vcmcmi2R5gcQ1dVIn5XHz4yRcqCDWuAEBUrIYTvHcVVsTHFGRFJfLh-ewNxenA6m-5cpYtP3RdXv6WoLgECJnA2GaBTgHctQs_2dJvsoQstfus27qCazjiX7lIedehLgiWFubWhfsGU8AiSD";
const HFTOK = "h" + "f_AkhMdWLghGtZjgmpCiFijgsQYtPfUunres";
const SHOP = "shp" + "at_88841619bac150cc4eb187ed79584c11";
const DAPI = "da" + "pif7fc36949434e7b223ed9a1b59296bce";
const HVS = "hv" + "s.kvwYoDwLIODtYzaO9c7sah7UwZ7wos30sAQBhB7d8qmSJY4h65Gc1dHaPrwkbeV8MhZGcRxPWucDlUZMyLUfMY8v12Xr";
const AGE = "AGE-SEC" + "RET-KEY-1W6V2VYCLPAZMWWNGLZEHRDE64Q0DTUNU48C5ANRGFNC6KADQUDLGJU950E";
const LINEAR = "lin_" + "api_0wV8t6qoLXyvZ4Chip6f64TRppIUIxPuWN2jCa3H";
const NOTION = "nt" + "n_ePSnObCBgPJIDL1tuTS6RtlG5oKZEbfHXsKTpMrzB29BmZ";
const GLSA = "gl" + "sa_N4QBl5NijNkiGkBsHP7F6YrGD4RizI8p_4af3859e";
const DOCKERPAT = "dck" + "r_pat_f0WAaCIFSmVzH1RnS48GWcEiz7K";
const GROQ = "gs" + "k_y2Uslelv9C0j67YHGr6mVHDKv9KXTlSf7mKZkeZMqJS7MRsmu5aM";
const JWT1 =
  "ey" +
  "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" +
  ".ey" +
  "JzdWIiOiJ1LTExODciLCJuYW1lIjoiUnVuZSIsImlhdCI6MTczNTY4OTYwMH0._IcFtTrGLWGI25YiuBiEImBC5yNZJscT_AfECZ3-Tig";
const JWT2 =
  "ey" +
  "JhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0" +
  ".ey" +
  "Jpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJ3ZWIiLCJleHAiOjE3NjAwMDAwMDB9.gW9Vvvys-zNxjIs0U53XKb7IgTk3NTI5YuCBA8zyyJI";
const RSA_BODY = [
  "MIIEowIBAAKCAQEAbOImvwHwUwGJs73ZBHttIQomtXiFSEbvmMnXubjU1axwd0ei",
  "wi7UA4TlmAsnO9z0kW0EtD414gu5Is3Dy3ASQ4yp+QwRvKxLQMHWqse1Qj6gcv0W",
  "iu+/0FD93cy6XN6d79TTWLCDgS9VZytdYjjYgXtplVKEV3gF8gyRGpFQvRtWDUSF",
  "j5ngMOwetxew+bWScULI9ZvX+PhaUFZMbYByh999kEGqXgU0K+KsEujGSvSm2vLr",
  "xGjiiIoxgPblDa/swCrPzYoaAadFCGRuLrXcO2vuFi1MNZEpQxWNcwJXduhHmXlL",
  "y+c1BZHE+aUXmMu1XbIgJefU51rusQ9b7ilkMWXB2gypwwg4tPXpZeqApU2qBSvp",
  "m1J4qI2NGYthC95X8/2cyN7mad99QYmp2wQuR2vdNh==",
];
const EC_BODY = [
  "MHcCAQEEI7IEX2pgbxr4NhREKkRbKuDWa/AraTM1DW+I41Fg+8us3ZW5XS79lCLw",
  "5Ue1qFyhDZSMpWTi131tFk4Ufl2yrYeC1sI3y4einMnBaQaAxrFWDRdDw6pkXky5",
  "QGnjXI3C7VFLAWmRa6rM+FfNKEg2lNs7==",
];
const SSH_BODY = [
  "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAM8+VYO0E",
  "Q2NrkoERw+kSd87HcwWvbLUPyPqbiLjqxHdchvkKCxCqcxjyCsdmtc+Fkw4GKdS+",
  "J97zxSb+KdD/PADCcRzqevUGcB4s+oKhDm3aJY2yCASgBy43GfO8bvDhAwvWy6Kf",
  "ngGR8UapopvJkLhdpu4u7tNKbBtlE1nukagXE3cHPw+I2w+0kRyF80T2dWl4wAoU",
  "4xfpB7/6iRxo5Y5tSeS/1fxJm00mW9fw5dJu0K==",
];
const PKCS8_BODY = [
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBC3sK7drNVd67/Uze",
  "saKlaUtxyVCBpskuSn01lInz77IzsvKYTHbQkSMSJY5b266+gqqCnYS/w11pTaiO",
  "MPHLWV83bQCttrincYcHzMH76f7XoH6Kexb8qGe+lX3KJYgMkDGgRHzvI0rhGYne",
  "FrbUSZ2SMNSBjPED/IACW/WoBqnB6YWMgJFD+OAvCXn75pXFOrMGZbHIYWJVbimS",
  "S/Lsh+M6V7ZeFzhXpgCcT7/NHNKI4rBQ6MxDNHHCgkrU/YX73rexqwBIpDvER4hy",
  "sw35Nr5PYJfDXasCv9QJhOsuY3o41hJWRx+5uaylApedAYEpu+==",
];
const PGP_BODY = [
  "lQOYBGtSiriUY53KpPmPlJVUXp/IQKeJnLmLZTIY4Qqt5+JC+laKWYzGlKSvtJBs",
  "jPHDxRPQcDkEH1NLoBbNh3wiPAQEYrUFM0DqO2Bo0A3RiPxVM1QtBiL+iyilN2Hf",
  "9oMBA1mU+7UZ9Dlezgsjybu1I9/AdV+t+YtZ/PSp6hyIn3tP+7GG1BK+tVl6P6RU",
  "/hPFOOxsi7/ETs5xzfNPzaUtKmVObwiSpx6kR3Ioz8i5bSZO7A4dsH1X0wHMtsyi",
  "p2u6oHCPnvcKh3t8ixsvmiS5oNeXk+DQ8d==",
];
const WG = "W0Ukfm3QvDhqm8EL6Gqb" + "k4kHmOpwrJobbsEOclcidVG=";
const BEGIN = (kind: string) => "-----BE" + "GIN " + kind + "PRIVATE " + "KEY-----";
const END = (kind: string) => "-----E" + "ND " + kind + "PRIVATE " + "KEY-----";
const ANTH2 =
  "sk" + "-ant-api03-9VPsyDn9zIQDRBiD1LE0WShrWh53KOjhECShnEXBsDb1UCsuK_7oO890rDxsITMrIr6vGk4jIx59wzgVGXnyRx3KTrAvsAA";
const ANTHOAT =
  "sk" + "-ant-oat01-cn8tFy9ytCNcYL6NiEkns0y7lY6pVeP14U7QXppx40p0bfDWWaXuUMKVMcVPZ53Uh67bf4coZ6_uVL4k2mNT9KLPBhf2jAA";
const OPENAI3 =
  "sk" +
  "-svcacct-EkuVo-gR8PaVJwkp5mTXuasV6czO2LWrEFntNa8yD8Hxzsmo53CQSfDm34T3Blbk" +
  "FJPNnBApR6NNWOh1Xo4dFnYlXHGZpjnV_db4phbCf9y7ydyDiB80xbCG5UYE";
const GHP3 = "gh" + "p_l7yqTPaP887vZErPpbaRtXe6cKvL5DguEP7h";
const GHR = "gh" + "r_jcytvuGBr5pJkGWizztvbtFtGqjqXU2F1fWK";
const SLACKAPP =
  "xa" + "pp-1-A0TWQPAEYM-2236111747202-540bf78e8c3e95b6d4a6d6a68edd3449d8380073e83a9fff9d2a9ca2c32652d7";
const CFTOK = "slUx8dJeO2TpM9AsFfSY" + "hhvr4sOznprFYH27Df7a";
const AZSEC = "Won" + "8Q~yndaDp1BfV3I1EbeiuNos2seWeT9Yu9EFG";
const GREFRESH = "1" + "//0ge0Z0XXuDHibVnX1DMB1JtbTRQSzxz3p_o9WjbJ958aezed6ktffDPQLKEsJ";
const TWSK = "S" + "K58b51e7b73b373ca090b056e2f302e35";
const TWSEC = "lK7M2Xx2T9Vdofro" + "fxJmrYjwieqZjpYo";
const SENTRY = "sntrys" + "_w6rki7du36tM4StwgAAO8Zkzh41AmNjbolsPcLqlCtfvpb6h3FFPLy5Hqzg8SwTVwnv1Q7PQWAOuuGuT";
const PMAK = "PM" + "AK-dd415e25178f89b9c5ee3763-d75331b4220648249265bb40c8e9fc66c5";
const HEROKU = "HRKU" + "-AAvwcMQUrj89doxy3MRrOXrD8T1t68d8ruxaivvbHUYU4bF5WnQKziRRi68n";
const DDKEY = "59478a5c3a8fc85b" + "9d8dd50ae2ac485e";
const NPM2 = "np" + "m_O7uhR72EArmU65E3jbk8WjxPVwiDNfducKfj";
const AWSSEC3 = "RvEVgVedO5fc8s7Iukwm" + "/AGzqLTXL1qG95Nv1OgS";
const RSA_D = "WlyMn7Cmq5zW36z7MenZHZUCeK3f5RTAsceB1Nab" + "nLYWN6CiPHJyKAeopZTouc7To2lFWIfZ8eZwho5hwEjD3Q";
const RSA_P = "7zUJf5PVm0wX5hLm0nlNFn" + "3U-LYLBeQA0_JgCsT5zQH";
const RSA_Q = "aJr0OsctBSXyriQOuVNvdm" + "dbI979b4kpdvAbZafdSLP";
const PPK_BODY = [
  "X3PHMBzzUWVoFg6T4SNOf0L96k7iUi5A6Sb7eOvsddStJ+TxH4sdITmOKKd+tlWF",
  "OpGiqKe+0OM8xV8ic3MB3hzw82WCRYtO1zgWjX20g9d=",
];
const P8_BODY = [
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMv6vEaPIFo7ghnxA",
  "aIQ4nTm2Pf6c21hNkQzuxWqqjOKHCPyOsbn/enJ8xa3Id9bq0bRPJZjo225/SP==",
];
const TLSKEY = "LS0tLS1CRUdJTiBQ" + "UklWQVRFIEtFWS0tLS0tCk1JR0hBZ0VBTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5";

const BUSKEY = "kV7mQ2xTz9LrWp4yNc8b" + "Hs1uGdf5JaEe3oKi6XtVwMq=";

export const CORPUS: Corpus = {
  secrets: [
    // ---- environment files and shell environments
    {
      kind: "dotenv",
      text: `$ cat .env
APP_NAME=harbourline
APP_ENV=production
DB_HOST=10.2.0.14
DB_PORT=5432
DB_USERNAME=harbour
DB_PASSWORD=lighthousekeeper
CACHE_DRIVER=redis
`,
      values: ["lighthousekeeper"],
    },
    {
      kind: "dotenv",
      text: `# outgoing mail
SMTP_HOST=mail.tulipa.example
SMTP_PORT=587
SMTP_USER=noreply@tulipa.example
SMTP_PASS='Tulip&Windmill!'
SMTP_FROM="Tulipa <noreply@tulipa.example>"`,
      values: ["Tulip&Windmill!"],
    },
    {
      kind: "dotenv",
      text: `REDIS_HOST=cache-01
REDIS_PASSWORD=!quiet-Meadow
REDIS_DB=3`,
      values: ["!quiet-Meadow"],
    },
    {
      kind: "dotenv",
      text: `ADMIN_USER=root
ADMIN_PW="#Saffron_Rice"
ADMIN_MAIL=root@localhost`,
      values: ["#Saffron_Rice"],
    },
    {
      kind: "dotenv",
      text: `MAIL_DRIVER=smtp
MAIL_USERNAME=ops
MAIL_PASSWORD="wren and starling"
MAIL_ENCRYPTION=tls`,
      values: ["wren and starling"],
    },
    {
      kind: "dotenv",
      text: `NODE_ENV=staging
SESSION_SECRET=ab1.Cd2efGh
SESSION_TTL=3600`,
      values: ["ab1.Cd2efGh"],
    },
    {
      kind: "dotenv",
      text: `config/.env.staging:14:LDAP_BIND_PASSWORD=Oberon/Titania
config/.env.staging:15:LDAP_BASE_DN=dc=puck,dc=example`,
      values: ["Oberon/Titania"],
    },
    {
      kind: "dotenv",
      text: `$ cat -A .env.local
API_BASE=https://api.gristmill.example$
DB_PASS=Ottokar1987$
LOG_LEVEL=debug$`,
      values: ["Ottokar1987"],
    },
    {
      kind: "dotenv",
      text: `$ printenv | grep -i pass
PGPASSWORD=Feather/Quill
PASSWORD_STORE_DIR=/home/jonas/.password-store`,
      values: ["Feather/Quill"],
    },
    {
      kind: "dotenv",
      text: `PS C:\\deploy> $env:DB_PASSWORD = "Grüne.Wiese7"
PS C:\\deploy> .\\migrate.ps1 -Target 42`,
      values: ["Grüne.Wiese7"],
    },
    {
      kind: "dotenv",
      text: `C:\\svc> set SVC_PASSWORD=Copper@Kettle
C:\\svc> set SVC_USER=svc_import
C:\\svc> import.exe /all`,
      values: ["Copper@Kettle"],
    },
    {
      kind: "dotenv",
      text: `# ~/.config/fish/config.fish
set -x NEXUS_USER deployer
set -x NEXUS_PASSWORD 'rook takes bishop'
set -x EDITOR hx`,
      values: ["rook takes bishop"],
    },
    {
      kind: "dotenv",
      text: `# .envrc
layout python3
export RESTIC_REPOSITORY=/srv/backup
export RESTIC_PASSWORD="@Candle$Wick"
`,
      values: ["@Candle$Wick"],
    },
    {
      kind: "dotenv",
      text: `POSTGRES_USER=tidal
POSTGRES_PASSWORD = Mangrove_Swamp
POSTGRES_DB=tidal_dev`,
      values: ["Mangrove_Swamp"],
    },
    {
      kind: "dotenv",
      text: `1\tSECRET_KEY=velvet-tangerine-orbit-cellar
2\tDEBUG=False
3\tALLOWED_HOSTS=shop.example,www.shop.example`,
      values: ["velvet-tangerine-orbit-cellar"],
    },
    {
      kind: "dotenv",
      text: `diff --git a/.env.prod b/.env.prod
--- a/.env.prod
+++ b/.env.prod
@@ -3,3 +3,3 @@
 DB_USER=ledger
-DB_PASSWORD=Gustav.1994
+DB_PASSWORD=Gustav.Holst.1874
 DB_NAME=ledger`,
      values: ["Gustav.1994", "Gustav.Holst.1874"],
    },
    {
      kind: "dotenv",
      text: `ENV Datei:
FTP_KENNWORT=Zwetschgenkuchen
FTP_BENUTZER=upload`,
      values: ["Zwetschgenkuchen"],
    },
    {
      kind: "dotenv",
      text: `GF_SECURITY_ADMIN_USER=admin
GF_SECURITY_ADMIN_PASSWORD=$andcastle
GF_SERVER_ROOT_URL=https://graphs.example/`,
      values: ["$andcastle"],
    },
    {
      kind: "dotenv",
      text: `ALARM_PIN=4917
ALARM_ZONE=garage`,
      values: ["4917"],
    },
    {
      kind: "dotenv",
      text: `$ env | sort | tail -4
TERM=xterm-256color
USER=ci
VAULT_UNSEAL_PASSPHRASE=seven grey geese at dusk
XDG_SESSION_ID=31`,
      values: ["seven grey geese at dusk"],
    },
    {
      kind: "dotenv",
      text: R`{"stdout":"DB_HOST=db\nDB_PASSWORD=N0rthernL1ghts\nDB_NAME=aurora\n","stderr":"","exitCode":0}`,
      values: ["N0rthernL1ghts"],
    },
    {
      kind: "dotenv",
      text: R`{"type":"tool_result","content":"APP_ENV=local\nMYSQL_ROOT_PASSWORD=papercrane\nMYSQL_DATABASE=origami\n"}`,
      values: ["papercrane"],
    },
    {
      kind: "dotenv",
      text: `JWT_SECRET='it"s-a-Secret'
JWT_TTL=900`,
      values: [`it"s-a-Secret`],
    },
    {
      kind: "dotenv",
      text: `OLD_PASSWORD=Bramble2019
NEW_PASSWORD=Bramble2025!
CONFIRM_PASSWORD=Bramble2025!`,
      values: ["Bramble2019", "Bramble2025!"],
    },
    {
      kind: "ansi",
      text: `${ESC}[36mDB_PASSWORD${ESC}[0m=${ESC}[33mPepperTree${ESC}[0m
${ESC}[36mDB_USER${ESC}[0m=${ESC}[33mgarden${ESC}[0m`,
      values: ["PepperTree"],
    },
    {
      kind: "ansi",
      text: `${ESC}[1mpassword:${ESC}[22m ${ESC}[32m"marmot-on-skis"${ESC}[39m`,
      values: ["marmot-on-skis"],
    },
    {
      kind: "ansi",
      text: `${ESC}[90m 12 |${ESC}[0m   ${ESC}[34m"dbPassword"${ESC}[0m: ${ESC}[32m"Quarry_Lake9"${ESC}[0m,`,
      values: ["Quarry_Lake9"],
    },
    {
      kind: "nbsp",
      text: `Copied from the wiki:
password${NB}=${NB}OrchardGate
user${NB}=${NB}svc-wiki`,
      values: ["OrchardGate"],
    },
    { kind: "nbsp", text: `Passphrase:${NB}umbrella stand left`, values: ["umbrella stand left"] },
    { kind: "nbsp", text: `DB_PASSWORD${NB}:${NB}Hopscotch#11`, values: ["Hopscotch#11"] },

    // ---- configuration files, each in its own notation
    {
      kind: "ini",
      text: `[database]
driver = pgsql
host = db.internal
user = warehouse
password = Forklift Ballet
timeout = 30

[logging]
level = info`,
      values: ["Forklift Ballet"],
    },
    {
      kind: "ini",
      text: `; grafana.ini
[security]
admin_user = admin
admin_password = """Slate;Roof"""
cookie_secure = true`,
      values: ["Slate;Roof"],
    },
    {
      kind: "ini",
      text: `[client]
user=backup
password="m1dsummer/Frost"
host=127.0.0.1

[mysqldump]
quick`,
      values: ["m1dsummer/Frost"],
    },
    {
      kind: "ini",
      text: `[myodbc]
Driver = /usr/lib/libmyodbc8w.so
SERVER = sql-legacy
UID = reports
PWD = Tortoise.And.Hare
DATABASE = reports`,
      values: ["Tortoise.And.Hare"],
    },
    {
      kind: "ini",
      text: `[distutils]
index-servers = internal

[internal]
repository = https://pypi.quarry.example/
username = publisher
password = basalt-column`,
      values: ["basalt-column"],
    },
    {
      kind: "ini",
      text: `[wifi-security]
key-mgmt=wpa-psk
psk=NeighbourhoodGoose

[ipv4]
method=auto`,
      values: ["NeighbourhoodGoose"],
    },
    {
      kind: "ini",
      text: `[nextcloud]
type = webdav
url = https://files.example/remote.php/dav
vendor = nextcloud
user = mira
pass = kf3-Vy8wQhLr2mN_pEoZtDc`,
      values: ["kf3-Vy8wQhLr2mN_pEoZtDc"],
    },
    {
      kind: "pgpass",
      text: `$ cat ~/.pgpass
# host:port:db:user:password
db1.example:5432:orders:orders_rw:Gherkin&Dill
db2.example:5432:*:readonly:lookbutdonttouch`,
      values: ["Gherkin&Dill", "lookbutdonttouch"],
    },
    { kind: "netrc", text: `machine artifacts.example login buildbot password Cinnamon-Bun`, values: ["Cinnamon-Bun"] },
    {
      kind: "netrc",
      text: `$ cat ~/.netrc
machine git.mill.example
  login lena
  password Windrad.Nordsee
machine ftp.mill.example
  login anonymous
  password ferrymansdaughter`,
      values: ["Windrad.Nordsee", "ferrymansdaughter"],
    },
    {
      kind: "properties",
      text: `# src/main/resources/application-prod.properties
spring.datasource.url=jdbc:postgresql://pg:5432/clinic
spring.datasource.username=clinic
spring.datasource.password=#Stethoscope
spring.jpa.hibernate.ddl-auto=none`,
      values: ["#Stethoscope"],
    },
    {
      kind: "properties",
      text: `server.port=8443
server.ssl.key-store=classpath:keystore.p12
server.ssl.key-store-password=brass monkey
server.ssl.key-alias=tomcat`,
      values: ["brass monkey"],
    },
    {
      kind: "properties",
      text: `org.gradle.jvmargs=-Xmx2g
RELEASE_STORE_FILE=upload.jks
RELEASE_KEY_ALIAS=upload
RELEASE_STORE_PASSWORD: Papaya!Sunrise
RELEASE_KEY_PASSWORD: Papaya!Sunset`,
      values: ["Papaya!Sunrise", "Papaya!Sunset"],
    },
    {
      kind: "properties",
      text: R`sasl.mechanism=PLAIN
security.protocol=SASL_SSL
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="ingest" password="river\"bend";
acks=all`,
      values: [R`river\"bend`],
    },
    {
      kind: "properties",
      text: `sonar.host.url=https://sonar.example
sonar.login=scanner
sonar.password Thimble.Needle
sonar.sources=src`,
      values: ["Thimble.Needle"],
    },
    {
      kind: "yaml",
      text: `spring:
  datasource:
    url: jdbc:mysql://db:3306/parcels
    username: parcels
    password: Elderflower Cordial
  jpa:
    open-in-view: false`,
      values: ["Elderflower Cordial"],
    },
    {
      kind: "yaml",
      text: `smtp:
  host: smtp.example
  user: robot
  password: |
    Gravel&Tar/Road
  port: 465`,
      values: ["Gravel&Tar/Road"],
    },
    {
      kind: "yaml",
      text: `vault:
  unseal:
    passphrase: >-
      the kettle sings
      before the rain
    threshold: 3`,
      values: ["the kettle sings", "before the rain"],
    },
    {
      kind: "yaml",
      text: `production:
  adapter: postgresql
  encoding: unicode
  database: choir_production
  username: choir
  password: 'Bass''n''Treble'
  pool: 5`,
      values: ["Bass''n''Treble"],
    },
    {
      kind: "yaml",
      text: `# group_vars/all.yml
ansible_user: deploy
ansible_become: true
ansible_become_pass: Kingfisher
ansible_ssh_pass: "!Kingfisher2"`,
      values: ["Kingfisher", "!Kingfisher2"],
    },
    {
      kind: "yaml",
      text: `# hieradata/common.yaml
profile::mysql::root_password: 'Marzipan_Pig'
profile::mysql::bind: 0.0.0.0`,
      values: ["Marzipan_Pig"],
    },
    {
      kind: "yaml",
      text: `users:
  - {name: anke, role: admin, password: Kaffeekanne}
  - {name: tomas, role: viewer, password: "sugar, no milk"}`,
      values: ["Kaffeekanne", "sugar, no milk"],
    },
    {
      kind: "yaml",
      text: `# alertmanager.yml
receivers:
- name: oncall
  email_configs:
  - to: oncall@example
    auth_username: alerts
    auth_password: Foghorn.Leg7horn
    require_tls: true`,
      values: ["Foghorn.Leg7horn"],
    },
    {
      kind: "yaml",
      text: `#cloud-config
hostname: edge-07
chpasswd:
  expire: false
  list: |
    ubuntu:walnutWhip
    root:Pistachio*Shell`,
      values: ["walnutWhip", "Pistachio*Shell"],
    },
    {
      kind: "yaml",
      text: `wifis:
    wlp3s0:
      dhcp4: true
      access-points:
        "Attic":
          password: "creaky floorboards"`,
      values: ["creaky floorboards"],
    },
    {
      kind: "yaml",
      text: `# secrets.yaml (Home Assistant)
wifi_password: Dachbodenfund
alarm_code: "7731"
mqtt_password: &mqtt beetroot-soup
`,
      values: ["Dachbodenfund", "7731", "beetroot-soup"],
    },
    {
      kind: "toml",
      text: `[postgres]
host = "localhost"
user = "almanac"
password = "Equinox@March"
max_connections = 20`,
      values: ["Equinox@March"],
    },
    {
      kind: "toml",
      text: `[registry]
auth = { username = "mirror", password = 'C:\\Winter\\Coat' }
timeout = 5`,
      values: ["C:\\Winter\\Coat"],
    },
    {
      kind: "toml",
      text: `# .streamlit/secrets.toml
db_username = "lab"
db_password = """petri dish club"""
[cookie]
key = "cookiejar"
secret = "Fig.Newton"`,
      values: ["petri dish club", "Fig.Newton"],
    },
    {
      kind: "toml",
      text: `[[sources]]
name = "private"
username = "svc"
passwd = "l0ngsh0re"
verify_ssl = true`,
      values: ["l0ngsh0re"],
    },
    {
      kind: "json",
      text: `{
  "host": "imap.example",
  "port": 993,
  "user": "helpdesk",
  "password": "Tin.Soldier",
  "tls": true
}`,
      values: ["Tin.Soldier"],
    },
    {
      kind: "json",
      text: R`{"db":{"user":"sa","pass":"Say\"Please\"77","pool":{"max":4}}}`,
      values: [R`Say\"Please\"77`],
    },
    {
      kind: "json",
      text: `{
  "ConnectionStrings": {
    "Default": "Server=sql01;Database=Invoices;User Id=invoices;Password=Ledger;Encrypt=True"
  },
  "Smtp": { "Host": "smtp", "UserName": "inv", "Password": "postage due" },
  "Logging": { "LogLevel": { "Default": "Information" } }
}`,
      values: ["Ledger", "postage due"],
    },
    {
      kind: "json",
      text: `{"http-basic":{"repo.packagist.example":{"username":"token","password":"haystackneedle"}}}`,
      values: ["haystackneedle"],
    },
    {
      kind: "json",
      text: `{"passphrase": "copper pots & pans", "keyfile": "/etc/keys/backup.pub", "compress": false}`,
      values: ["copper pots & pans"],
    },
    {
      kind: "json",
      text: R`{"result":"{\"login\":\"anja\",\"password\":\"Kirschbaum\",\"remember\":true}"}`,
      values: ["Kirschbaum"],
    },
    {
      kind: "json",
      text: R`{"tool":"Write","input":{"file_path":"/srv/app/config.json","content":"{\n  \"dbHost\": \"pg\",\n  \"dbPasswd\": \"Lantern/Parade\"\n}\n"}}`,
      values: ["Lantern/Parade"],
    },
    {
      kind: "json",
      text: `{
  "ARN": "arn:aws:secretsmanager:eu-west-1:210987654321:secret:prod/db-9xKq2L",
  "Name": "prod/db",
  "VersionId": "0f5b1c2e-7a90-4a51-9a9e-0c1f7be6a2d3",
  "SecretString": "{\\"username\\":\\"orders\\",\\"password\\":\\"Molasses%Flood\\"}",
  "VersionStages": ["AWSCURRENT"]
}`,
      values: ["Molasses%Flood"],
    },
    {
      kind: "json",
      text: `$ aws secretsmanager get-secret-value --secret-id legacy/ftp
{
    "Name": "legacy/ftp",
    "SecretString": "barnacle scraper",
    "CreatedDate": "2024-11-02T09:14:22+01:00"
}`,
      values: ["barnacle scraper"],
    },
    {
      kind: "json",
      text: `{
    "Parameter": {
        "Name": "/prod/billing/db_password",
        "Type": "SecureString",
        "Value": "Abacus&Beads",
        "Version": 4,
        "ARN": "arn:aws:ssm:eu-central-1:210987654321:parameter/prod/billing/db_password"
    }
}`,
      values: ["Abacus&Beads"],
    },
    {
      kind: "json",
      text: `{"Parameters":[{"Name":"/web/session_secret","Type":"SecureString","Value":"ginger snap dragon"},{"Name":"/web/region","Type":"String","Value":"eu-north-1"}]}`,
      values: ["ginger snap dragon"],
    },
    {
      kind: "json",
      text: `{"kty":"EC","crv":"P-256","kid":"sig-2025","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"mZ4tQp8vKx2LrN7yWc5sHb1uJd9fGe3aTo6iPk0RqVE"}`,
      values: ["mZ4tQp8vKx2LrN7yWc5sHb1uJd9fGe3aTo6iPk0RqVE"],
    },
    {
      kind: "json",
      text: `{"keys":[{"kty":"oct","alg":"HS256","kid":"hs","k":"Yp2vXq9sLm4cRt7wZa1dFg6hJk3nBv8uQe5iOo0TyUw"}]}`,
      values: ["Yp2vXq9sLm4cRt7wZa1dFg6hJk3nBv8uQe5iOo0TyUw"],
    },
    {
      kind: "conf",
      text: `# /etc/redis/redis.conf
bind 127.0.0.1
port 6379
requirepass !Marigold
masterauth "Second Marigold"
maxmemory 512mb`,
      values: ["!Marigold", "Second Marigold"],
    },
    {
      kind: "conf",
      text: `network={
    ssid="Allotment"
    psk="runner beans"
    key_mgmt=WPA-PSK
}`,
      values: ["runner beans"],
    },
    {
      kind: "conf",
      text: `interface=wlan0
ssid=PumpRoom
wpa=2
wpa_passphrase=centrifugal
wpa_key_mgmt=WPA-PSK`,
      values: ["centrifugal"],
    },
    {
      kind: "conf",
      text: `client campus-ap {
    ipaddr = 10.40.0.0/16
    secret = Dandelion.Clock
    shortname = campus
    nas_type = other
}`,
      values: ["Dandelion.Clock"],
    },
    {
      kind: "conf",
      text: `# snmpd.conf
rocommunity peppermill 10.0.0.0/8
syslocation "Rack 4"
createUser netmon SHA "Gloomy Sunday" AES "Blue Monday"
rouser netmon authpriv`,
      values: ["peppermill", "Gloomy Sunday", "Blue Monday"],
    },
    {
      kind: "conf",
      text: `switch(config)# snmp-server community Zaunkoenig RO
switch(config)# enable secret 0 Nightjar
switch(config)# username netadmin privilege 15 password 0 Bullfinch!9`,
      values: ["Zaunkoenig", "Nightjar", "Bullfinch!9"],
    },
    {
      kind: "conf",
      text: `# /etc/ipsec.secrets
203.0.113.9 198.51.100.4 : PSK "two moons, one tide"
maria : EAP "Cobblestone"`,
      values: ["two moons, one tide", "Cobblestone"],
    },
    {
      kind: "conf",
      text: `# Secrets for authentication using CHAP
# client  server  secret            IP addresses
branch03  *       Teakettle.Hiss    *`,
      values: ["Teakettle.Hiss"],
    },
    {
      kind: "conf",
      text: `# nslcd.conf
uri ldap://ldap.cedar.example/
base dc=cedar,dc=example
binddn cn=proxy,dc=cedar,dc=example
bindpw Sawdust$Trail
ssl start_tls`,
      values: ["Sawdust$Trail"],
    },
    {
      kind: "conf",
      text: `database mdb
suffix "dc=cedar,dc=example"
rootdn "cn=admin,dc=cedar,dc=example"
rootpw woodpeckerhole
directory /var/lib/ldap`,
      values: ["woodpeckerhole"],
    },
    {
      kind: "conf",
      text: `dn: uid=hanna,ou=people,dc=cedar,dc=example
objectClass: inetOrgPerson
uid: hanna
sn: Brandt
userPassword: Apfelstrudel`,
      values: ["Apfelstrudel"],
    },
    {
      kind: "conf",
      text: `account work
host smtp.work.example
from sven@work.example
user sven
password Fjord&Ferry
tls on`,
      values: ["Fjord&Ferry"],
    },
    {
      kind: "conf",
      text: `set imap_user = "petra@mail.example"
set imap_pass = "@Snowdrop"
set smtp_pass = "Crocus/Bulb"
set folder = "imaps://mail.example"`,
      values: ["@Snowdrop", "Crocus/Bulb"],
    },
    {
      kind: "conf",
      text: `poll mail.example protocol imap user "dora" there with password "the explorer left" is "dora" here ssl`,
      values: ["the explorer left"],
    },
    {
      kind: "conf",
      text: `# /etc/postfix/sasl_passwd
[smtp.relay.example]:587    relayuser:Bicycle-Bell`,
      values: ["Bicycle-Bell"],
    },
    {
      kind: "conf",
      text: `username=svc_share
password=Hedgerow
domain=CORP`,
      values: ["Hedgerow"],
    },
    {
      kind: "conf",
      text: `//nas/media  /mnt/media  cifs  username=media,password=PopcornTub,uid=1000,iocharset=utf8  0 0`,
      values: ["PopcornTub"],
    },
    {
      kind: "conf",
      text: `gitlab_rails['smtp_enable'] = true
gitlab_rails['smtp_user_name'] = "gitlab"
gitlab_rails['smtp_password'] = "Tanuki.Tail"
gitlab_rails['smtp_domain'] = "git.example"`,
      values: ["Tanuki.Tail"],
    },
    {
      kind: "conf",
      text: `userlist ops
    user lars insecure-password Rhubarb_Crumble
listen stats
    stats auth admin:Custard/Cream`,
      values: ["Rhubarb_Crumble", "Custard/Cream"],
    },
    {
      kind: "conf",
      text: `# ks.cfg
lang en_GB
rootpw --plaintext Trombone
user --name=installer --password=Trumpet!Mute --plaintext`,
      values: ["Trombone", "Trumpet!Mute"],
    },
    {
      kind: "conf",
      text: `d-i passwd/username string debian
d-i passwd/user-password password bagpipes
d-i passwd/user-password-again password bagpipes`,
      values: ["bagpipes"],
    },
    {
      kind: "conf",
      text: `$ cat /etc/pgbouncer/userlist.txt
; user password
"pgadmin" "Elephant.Memory"
"pgbouncer" "Waiting Room"`,
      values: ["Elephant.Memory", "Waiting Room"],
    },
    {
      kind: "conf",
      text: `[webservers]
web1 ansible_host=10.1.1.5 ansible_user=deploy ansible_become_pass=Petticoat ansible_port=2222
web2 ansible_host=10.1.1.6 ansible_user=deploy ansible_become_password='Lane & Alley'`,
      values: ["Petticoat", "Lane & Alley"],
    },
    {
      kind: "conf",
      text: `cache_peer proxy.example parent 3128 0 no-query default login=squid:Calamari`,
      values: ["Calamari"],
    },
    {
      kind: "conf",
      text: `//registry.loom.example/:username=weaver
//registry.loom.example/:_password="V2FycEFuZFdlZnQ="
//registry.loom.example/:always-auth=true`,
      values: ["V2FycEFuZFdlZnQ="],
    },
    {
      kind: "xml",
      text: `<server>
  <id>nexus-releases</id>
  <username>deployment</username>
  <password>Gooseberry</password>
</server>`,
      values: ["Gooseberry"],
    },
    {
      kind: "xml",
      text: `<tomcat-users>
  <role rolename="manager-gui"/>
  <user username="tomcat" password="s3cond&amp;breakfast" roles="manager-gui"/>
</tomcat-users>`,
      values: ["s3cond&amp;breakfast"],
    },
    {
      kind: "xml",
      text: `<packageSourceCredentials>
  <Internal>
    <add key="Username" value="build" />
    <add key="ClearTextPassword" value="Nougat.Layer" />
  </Internal>
</packageSourceCredentials>`,
      values: ["Nougat.Layer"],
    },
    {
      kind: "xml",
      text: `<connectionStrings>
  <add name="Crm" connectionString="Data Source=crm;Initial Catalog=Crm;User ID=crm;Password=Rolodex;MultipleActiveResultSets=true" providerName="System.Data.SqlClient" />
</connectionStrings>`,
      values: ["Rolodex"],
    },
    {
      kind: "xml",
      text: `<AutoLogon>
  <Password>
    <Value>WindowCleaner!</Value>
    <PlainText>true</PlainText>
  </Password>
  <Username>Administrator</Username>
</AutoLogon>`,
      values: ["WindowCleaner!"],
    },
    {
      kind: "xml",
      text: `<key>SMTPPassword</key>
<string>carrier pigeon</string>
<key>SMTPPort</key>
<integer>587</integer>`,
      values: ["carrier pigeon"],
    },
    {
      kind: "xml",
      text: `<bean id="ds" class="org.apache.commons.dbcp2.BasicDataSource">
  <property name="username" value="depot"/>
  <property name="password" value="Shunting Yard"/>
  <property name="maxTotal" value="8"/>
</bean>`,
      values: ["Shunting Yard"],
    },
    {
      kind: "xml",
      text: `<soap:Header><wsse:Security><wsse:UsernameToken><wsse:Username>erp</wsse:Username><wsse:Password Type="PasswordText">&lt;Broomstick&gt;</wsse:Password></wsse:UsernameToken></wsse:Security></soap:Header>`,
      values: ["&lt;Broomstick&gt;"],
    },
    {
      kind: "xml",
      text: `<config><db_pwd><![CDATA[Thunder<Lightning]]></db_pwd><db_host>db</db_host></config>`,
      values: ["Thunder<Lightning"],
    },

    // ---- command lines
    {
      kind: "cli",
      text: `$ mysql --host db1 --user app --password Chestnut -e 'show tables'
Tables_in_app
orders`,
      values: ["Chestnut"],
    },
    {
      kind: "cli",
      text: `mysqldump -h 10.0.0.3 -u backup -pSeaUrchin_9 shop > /tmp/shop.sql`,
      values: ["SeaUrchin_9"],
    },
    { kind: "cli", text: `mysql -uroot -p'Anchor & Chain' shop < schema.sql`, values: ["Anchor & Chain"] },
    { kind: "cli", text: `PGPASSWORD='Heron.Lake' psql -h pg.example -U reader -c 'select 1'`, values: ["Heron.Lake"] },
    {
      kind: "cli",
      text: `{"cmd":["mongosh","--host","mongo:27017","--username","root","--password","Walrus/Tusk","--eval","db.stats()"]}`,
      values: ["Walrus/Tusk"],
    },
    {
      kind: "cli",
      text: `subprocess.run(["7z", "x", "--password", "peacock feather", "dump.7z"], check=True)`,
      values: ["peacock feather"],
    },
    {
      kind: "cli",
      text: `spawn("mosquitto_pub", ["-h", "broker", "-u", "sensor", "--pw", "Barometer", "-t", "attic/temp"])`,
      values: ["Barometer"],
    },
    {
      kind: "cli",
      text: `java -Xmx1g -Djavax.net.ssl.keyStore=/etc/ks.jks -Djavax.net.ssl.keyStorePassword=Clockmaker -jar app.jar`,
      values: ["Clockmaker"],
    },
    {
      kind: "cli",
      text: `mvn -B deploy -Drepo.user=ci -Drepo.password="Felt & Tip" -DskipTests`,
      values: ["Felt & Tip"],
    },
    {
      kind: "cli",
      text: `./gradlew publish -PmavenUser=ci -PmavenPassword=Cormorant.Cliff --info`,
      values: ["Cormorant.Cliff"],
    },
    {
      kind: "cli",
      text: `mongorestore --uri mongodb://mongo:27017 \\
  --username restore \\
  --password \\
    Bellows&Forge \\
  --drop dump/`,
      values: ["Bellows&Forge"],
    },
    {
      kind: "cli",
      text: `docker run -d --name pg \\
  -e POSTGRES_USER=atlas \\
  -e POSTGRES_PASSWORD=Globetrotter \\
  -p 5432:5432 postgres:16`,
      values: ["Globetrotter"],
    },
    { kind: "cli", text: `docker login registry.example -u pusher -p 'Crane&Container'`, values: ["Crane&Container"] },
    {
      kind: "cli",
      text: `$ docker login --username ci --password drydockonly ghcr.example
WARNING! Using --password via the CLI is insecure. Use --password-stdin.
Login Succeeded`,
      values: ["drydockonly"],
    },
    {
      kind: "cli",
      text: `echo 'Sextant@Noon' | docker login registry.example -u pusher --password-stdin`,
      values: ["Sextant@Noon"],
    },
    {
      kind: "cli",
      text: `sshpass -p Driftwood ssh -o StrictHostKeyChecking=no pi@192.168.1.40 uptime`,
      values: ["Driftwood"],
    },
    { kind: "cli", text: `sshpass -p '$eagull Cry' rsync -av build/ web@10.3.3.3:/var/www/`, values: ["$eagull Cry"] },
    { kind: "cli", text: `curl -s -u elastic:Rubberband http://localhost:9200/_cat/indices?v`, values: ["Rubberband"] },
    {
      kind: "cli",
      text: `curl --user 'jenkins:Butler Bell' -X POST https://ci.example/job/nightly/build`,
      values: ["Butler Bell"],
    },
    {
      kind: "cli",
      text: `curl -X POST https://id.example/login -d 'username=olga&password=Samovar&remember=1'`,
      values: ["Samovar"],
    },
    {
      kind: "cli",
      text: R`curl -H 'Content-Type: application/json' -d "{\"email\":\"lu@example.com\",\"password\":\"Paper/Lantern\"}" https://api.example/session`,
      values: ["Paper/Lantern"],
    },
    {
      kind: "cli",
      text: `wget --http-user=mirror --http-password=Dovecote https://dl.example/pkg.tar.gz`,
      values: ["Dovecote"],
    },
    {
      kind: "cli",
      text: `net use Z: \\\\fileserver\\projects Pencil!Case /user:CORP\\klaus /persistent:no`,
      values: ["Pencil!Case"],
    },
    { kind: "cli", text: `net user helpdesk Umbrella2024 /add`, values: ["Umbrella2024"] },
    { kind: "cli", text: `unzip -P midnightoil reports-2024.zip -d reports/`, values: ["midnightoil"] },
    { kind: "cli", text: `zip -r -P "Moth & Flame" out.zip out/`, values: ["Moth & Flame"] },
    { kind: "cli", text: `7z a -pHazelnut_Spread -mhe=on archive.7z docs/`, values: ["Hazelnut_Spread"] },
    {
      kind: "cli",
      text: `gpg --batch --yes --passphrase 'grandmother clock' --pinentry-mode loopback -d backup.tar.gpg > backup.tar`,
      values: ["grandmother clock"],
    },
    {
      kind: "cli",
      text: `openssl pkcs12 -in cert.p12 -passin pass:Sealing.Wax -nodes -out cert.pem`,
      values: ["Sealing.Wax"],
    },
    { kind: "cli", text: `openssl enc -aes-256-cbc -pbkdf2 -in a.txt -out a.enc -k snowglobe`, values: ["snowglobe"] },
    {
      kind: "cli",
      text: `keytool -importkeystore -srckeystore a.jks -srcstorepass Tapestry -deststorepass 'Loom+Shuttle' -destkeystore b.p12`,
      values: ["Tapestry", "Loom+Shuttle"],
    },
    { kind: "cli", text: `htpasswd -b -c /etc/nginx/.htpasswd gallery Canvas#Frame`, values: ["Canvas#Frame"] },
    { kind: "cli", text: `redis-cli -h cache -a Firefly --no-auth-warning INFO memory`, values: ["Firefly"] },
    {
      kind: "cli",
      text: `127.0.0.1:6379> AUTH default Grasshopper
OK
127.0.0.1:6379> PING
PONG`,
      values: ["Grasshopper"],
    },
    {
      kind: "cli",
      text: `127.0.0.1:6379> CONFIG SET requirepass "ladybird, ladybird"
OK`,
      values: ["ladybird, ladybird"],
    },
    {
      kind: "cli",
      text: `127.0.0.1:6379> ACL SETUSER worker on >Dragonfly ~jobs:* +@all
OK`,
      values: ["Dragonfly"],
    },
    {
      kind: "cli",
      text: `kubectl create secret generic db-creds --from-literal=username=app --from-literal=password='Crystal Palace' -n shop`,
      values: ["Crystal Palace"],
    },
    {
      kind: "cli",
      text: `kubectl create secret docker-registry regcred --docker-server=reg.example --docker-username=puller --docker-password=Gangplank --docker-email=a@b.example`,
      values: ["Gangplank"],
    },
    {
      kind: "cli",
      text: `$ heroku config:set ADMIN_PASSWORD=Lavender-Field WEB_CONCURRENCY=2 -a herbarium
Setting ADMIN_PASSWORD, WEB_CONCURRENCY and restarting herbarium... done, v31`,
      values: ["Lavender-Field"],
    },
    {
      kind: "cli",
      text: `gh secret set DB_PASSWORD --repo acme/shop --body 'Pebble&Stream'`,
      values: ["Pebble&Stream"],
    },
    { kind: "cli", text: `gh secret set SIGNING_PASSPHRASE -b"fox in the henhouse"`, values: ["fox in the henhouse"] },
    {
      kind: "cli",
      text: `fly secrets set SECRET_KEY=Orchestra.Pit DB_PASS=conductorsbaton`,
      values: ["Orchestra.Pit", "conductorsbaton"],
    },
    {
      kind: "cli",
      text: `helm upgrade --install pg bitnami/postgresql --set auth.username=app,auth.password=Limestone,auth.database=app --wait`,
      values: ["Limestone"],
    },
    {
      kind: "cli",
      text: `helm install redis bitnami/redis --set-string auth.password="Quick|Silver" --namespace cache`,
      values: ["Quick|Silver"],
    },
    { kind: "cli", text: `vault kv put secret/web db_user=web db_password=Applejack`, values: ["Applejack"] },
    { kind: "cli", text: `vault login -method=userpass username=ines password=Zimtstern`, values: ["Zimtstern"] },
    {
      kind: "cli",
      text: `$ vault kv get secret/web
====== Data ======
Key            Value
---            -----
db_password    Windfall.Apple
db_user        web`,
      values: ["Windfall.Apple"],
    },
    {
      kind: "cli",
      text: `terraform apply -auto-approve -var 'db_password=Scaffold & Rope' -var region=eu-west-1`,
      values: ["Scaffold & Rope"],
    },
    {
      kind: "cli",
      text: `az sql server create -n sqlsrv -g rg1 -u sqladmin --admin-password "Keystone/Arch1" -l westeurope`,
      values: ["Keystone/Arch1"],
    },
    {
      kind: "cli",
      text: `aws ssm put-parameter --name /app/db_password --type SecureString --value "Harvest Moon" --overwrite`,
      values: ["Harvest Moon"],
    },
    {
      kind: "cli",
      text: `aws rds modify-db-instance --db-instance-identifier prod --master-user-password Tidewater_Clam --apply-immediately`,
      values: ["Tidewater_Clam"],
    },
    {
      kind: "cli",
      text: `gcloud sql users set-password root --host=% --instance=main --password=Saltmarsh`,
      values: ["Saltmarsh"],
    },
    {
      kind: "cli",
      text: `ldapsearch -x -H ldap://ldap1 -D 'cn=admin,dc=fern,dc=example' -w Undergrowth -b dc=fern,dc=example uid=kai`,
      values: ["Undergrowth"],
    },
    { kind: "cli", text: `radtest kai Fiddlehead 127.0.0.1 0 sharedsprout`, values: ["Fiddlehead", "sharedsprout"] },
    { kind: "cli", text: `snmpwalk -v2c -c toadstool 10.9.0.1 system`, values: ["toadstool"] },
    {
      kind: "cli",
      text: `snmpget -v3 -l authPriv -u mon -a SHA -A 'Gaslight Alley' -x AES -X "Cobbler's Lane" 10.9.0.1 sysUpTime.0`,
      values: ["Gaslight Alley", "Cobbler's Lane"],
    },
    { kind: "cli", text: `smbclient //nas/share -U 'norbert%Bratapfel' -c 'ls'`, values: ["Bratapfel"] },
    { kind: "cli", text: `xfreerdp /v:ts01 /u:norbert /p:Schneeflocke /cert:ignore`, values: ["Schneeflocke"] },
    {
      kind: "cli",
      text: `nmcli dev wifi connect "Cafe Lumen" password "espresso doppio"`,
      values: ["espresso doppio"],
    },
    { kind: "cli", text: `echo "deploy:Wagonwheel" | sudo chpasswd`, values: ["Wagonwheel"] },
    {
      kind: "cli",
      text: `echo Horseradish | sudo -S systemctl restart nginx
[sudo] password for deploy: `,
      values: ["Horseradish"],
    },
    { kind: "cli", text: `restic init --password-command 'echo "Attic Trunk"' -r /srv/b`, values: ["Attic Trunk"] },
    {
      kind: "cli",
      text: `ssh-keygen -t ed25519 -N 'butter on toast' -f ~/.ssh/deploy -C deploy@ci`,
      values: ["butter on toast"],
    },
    { kind: "cli", text: `sqlcmd -S sql01 -U sa -P Yo!Gurt7pot -Q "SELECT @@VERSION"`, values: ["Yo!Gurt7pot"] },
    { kind: "cli", text: `sqlplus scott/Pumpernickel@//ora1:1521/XEPDB1 @report.sql`, values: ["Pumpernickel"] },
    { kind: "cli", text: `ConvertTo-SecureString "Ginger.Bread" -AsPlainText -Force`, values: ["Ginger.Bread"] },
    {
      kind: "cli",
      text: `New-LocalUser -Name svc_print -Password (ConvertTo-SecureString 'Toner & Drum' -AsPlainText -Force)`,
      values: ["Toner & Drum"],
    },
    {
      kind: "cli",
      text: `$ printf 'protocol=https\\nhost=git.example\\n' | git credential fill
protocol=https
host=git.example
username=wilma
password=Pebbles&Dino`,
      values: ["Pebbles&Dino"],
    },
    {
      kind: "cli",
      text: `$ security find-generic-password -a buildbot -s signing -g
keychain: "/Users/ci/Library/Keychains/login.keychain-db"
password: "Notary Stamp"`,
      values: ["Notary Stamp"],
    },
    {
      kind: "cli",
      text: `ansible-playbook site.yml -i hosts -e "ansible_become_pass=Turnip mysql_root_password=Parsnip"`,
      values: ["Turnip", "Parsnip"],
    },
    { kind: "cli", text: `cmd.exe /c cmdkey /add:srv-db /user:CORP\\batch /pass:Clementine`, values: ["Clementine"] },
    {
      kind: "cli",
      text: `http POST :8000/api/login username=frieda password='Löwenzahn Tee'`,
      values: ["Löwenzahn Tee"],
    },
    {
      kind: "cli",
      text: `rabbitmqctl add_user worker Carrot/Stick
rabbitmqctl set_permissions -p / worker ".*" ".*" ".*"`,
      values: ["Carrot/Stick"],
    },
    {
      kind: "cli",
      text: `minio server --address :9000 /data  # MINIO_ROOT_USER=minio MINIO_ROOT_PASSWORD=Flamingo.Pond`,
      values: ["Flamingo.Pond"],
    },
    {
      kind: "cli",
      text: `$ history | tail -3
  211  cd /srv/app
  212  export ADMIN_PASSPHRASE=tell-no-one-Ann
  213  ./start.sh`,
      values: ["tell-no-one-Ann"],
    },

    // ---- containers, clusters, infrastructure and CI
    {
      kind: "k8s",
      text: `        env:
        - name: DB_HOST
          value: postgres
        - name: DB_PASSWORD
          value: Watermill
        - name: DB_NAME
          value: grain`,
      values: ["Watermill"],
    },
    {
      kind: "k8s",
      text: `    41\t            - name: SMTP_PASSWORD
    42\t              value: "Stamp & Envelope"
    43\t            - name: SMTP_PORT
    44\t              value: "587"`,
      values: ["Stamp & Envelope"],
    },
    {
      kind: "k8s",
      text: `@@ -18,7 +18,7 @@ spec:
         - name: REDIS_PASSWORD
-          value: oldhaybarn
+          value: New/Hayloft
         - name: REDIS_HOST`,
      values: ["oldhaybarn", "New/Hayloft"],
    },
    {
      kind: "k8s",
      text: R`{"content":"env:\n- name: LDAP_BIND_PASSWORD\n  value: Juniper.Berry\n- name: LDAP_URL\n  value: ldap://ldap:389\n"}`,
      values: ["Juniper.Berry"],
    },
    {
      kind: "k8s",
      text: `"env": [
  {"name": "API_SECRET", "value": "gondola ride"},
  {"name": "REGION", "value": "eu-south-1"}
]`,
      values: ["gondola ride"],
    },
    {
      kind: "k8s",
      text: `apiVersion: v1
kind: Secret
metadata:
  name: web-creds
type: Opaque
stringData:
  username: web
  password: Snapdragon`,
      values: ["Snapdragon"],
    },
    {
      kind: "k8s",
      text: `apiVersion: v1
kind: Secret
metadata:
  name: pg
data:
  username: cGdhZG1pbg==
  password: UmluZ01hc3RlckNpcmN1cw==`,
      values: ["UmluZ01hc3RlckNpcmN1cw=="],
    },
    {
      kind: "k8s",
      text: `apiVersion: v1
kind: Secret
type: kubernetes.io/tls
metadata:
  name: web-tls
data:
  tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUI=
  tls.key: ${TLSKEY}`,
      values: [TLSKEY],
    },
    {
      kind: "k8s",
      text: `$ kubectl get secret pg -o jsonpath='{.data}'
{"password":"U3dlZXRQb3RhdG8=","username":"cGc="}
$ kubectl get secret pg -o jsonpath='{.data.password}' | base64 -d
SweetPotato`,
      values: ["U3dlZXRQb3RhdG8=", "SweetPotato"],
    },
    {
      kind: "k8s",
      text: `Containers:
  web:
    Image:  web:1.4
    Environment:
      DB_USER:      web
      DB_PASSWORD:  Tin/Whistle
      LOG_LEVEL:    info`,
      values: ["Tin/Whistle"],
    },
    {
      kind: "compose",
      text: `services:
  db:
    image: mariadb:11
    environment:
      - MARIADB_USER=attic
      - MARIADB_PASSWORD=Dusty Trunk
      - MARIADB_ROOT_PASSWORD=@Rafters
    ports: ["3306:3306"]`,
      values: ["Dusty Trunk", "@Rafters"],
    },
    {
      kind: "compose",
      text: `    environment:
      RABBITMQ_DEFAULT_USER: bunny
      RABBITMQ_DEFAULT_PASS: clover-field
      KEYCLOAK_ADMIN_PASSWORD: "#Portcullis"`,
      values: ["clover-field", "#Portcullis"],
    },
    {
      kind: "compose",
      text: `    command: redis-server --requirepass Dormouse --appendonly yes`,
      values: ["Dormouse"],
    },
    {
      kind: "compose",
      text: `$ docker inspect pg --format '{{json .Config.Env}}'
["POSTGRES_USER=loom","POSTGRES_PASSWORD=Shuttlecock","PATH=/usr/local/bin:/usr/bin","PG_MAJOR=16"]`,
      values: ["Shuttlecock"],
    },
    {
      kind: "docker",
      text: `FROM alpine:3.20
ARG NEXUS_USER=ci
ARG NEXUS_PASSWORD=Gumdrop
ENV ADMIN_PASSWORD "Button Eyes"
RUN ./install.sh`,
      values: ["Gumdrop", "Button Eyes"],
    },
    {
      kind: "docker",
      text: `{"auths":{"registry.example":{"auth":"cHVzaGVyOkNoYW5kZWxpZXI="}}}`,
      values: ["cHVzaGVyOkNoYW5kZWxpZXI="],
    },
    {
      kind: "terraform",
      text: `# terraform.tfvars
region         = "eu-central-1"
db_username    = "observatory"
db_password    = "Eclipse/Umbra"
instance_class = "db.t3.small"`,
      values: ["Eclipse/Umbra"],
    },
    {
      kind: "terraform",
      text: `      "type": "aws_db_instance",
      "instances": [{"attributes": {"engine": "postgres", "username": "obs", "password": "Penumbra.Path", "port": 5432}}]`,
      values: ["Penumbra.Path"],
    },
    {
      kind: "terraform",
      text: `resource "azurerm_mssql_server" "main" {
  administrator_login          = "dbo_admin"
  administrator_login_password = "Tram$Stop!"
  minimum_tls_version          = "1.2"
}`,
      values: ["Tram$Stop!"],
    },
    {
      kind: "terraform",
      text: `variable "root_password" {
  type      = string
  default   = "Hollyhock"
  sensitive = true
}`,
      values: ["Hollyhock"],
    },
    {
      kind: "terraform",
      text: `  ~ resource "random_thing" "x" {
      ~ admin_password = "Barn Owl" -> "Tawny Owl"
        id             = "srv-1"
    }`,
      values: ["Barn Owl", "Tawny Owl"],
    },
    {
      kind: "systemd",
      text: `[Service]
ExecStart=/usr/local/bin/queue
Environment=QUEUE_USER=queue
Environment=QUEUE_PASSWORD=Bunting
Environment="MAIL_PASSWORD=Paper Chain"
Restart=always`,
      values: ["Bunting", "Paper Chain"],
    },
    {
      kind: "ci",
      text: `jobs:
  test:
    runs-on: ubuntu-latest
    env:
      PGUSER: ci
      PGPASSWORD: Greenhouse
      NODE_ENV: test`,
      values: ["Greenhouse"],
    },
    {
      kind: "ci",
      text: `pipeline {
  agent any
  environment {
    NEXUS_USER = 'jenkins'
    NEXUS_PASSWORD = 'Monocle/Tophat'
  }
  stages { stage('build') { steps { sh 'make' } } }
}`,
      values: ["Monocle/Tophat"],
    },
    {
      kind: "ci",
      text: `withEnv(["DEPLOY_USER=cd", "DEPLOY_PASSWORD=Hot Air Balloon"]) {
  sh './deploy.sh'
}`,
      values: ["Hot Air Balloon"],
    },
    {
      kind: "ci",
      text: `variables:
  DEPLOY_HOST: web.example
  DEPLOY_PASSWORD:
    value: "Whistlestop"
    description: "used by the deploy job"`,
      values: ["Whistlestop"],
    },
    {
      kind: "ci",
      text: `<com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>
  <id>ftp</id>
  <username>ftp</username>
  <password>Carousel.Horse</password>
</com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>`,
      values: ["Carousel.Horse"],
    },
    {
      kind: "cloudformation",
      text: `Parameters:
  - ParameterKey: DBUser
    ParameterValue: forge
  - ParameterKey: DBPassword
    ParameterValue: Anvil&Hammer`,
      values: ["Anvil&Hammer"],
    },
    {
      kind: "cloudformation",
      text: `"MasterUsername": "forge", "MasterUserPassword": "Tongs_and_Bellows", "AllocatedStorage": "20"`,
      values: ["Tongs_and_Bellows"],
    },

    // ---- source code in many languages
    {
      kind: "php",
      text: `define( 'DB_NAME', 'blog' );
define( 'DB_USER', 'blogger' );
define( 'DB_PASSWORD', 'Ink & Paper' );
define( 'DB_HOST', 'localhost' );`,
      values: ["Ink & Paper"],
    },
    {
      kind: "php",
      text: `define("FTP_PASS","#Typesetter");
define("FTP_HOST","ftp.example");`,
      values: ["#Typesetter"],
    },
    {
      kind: "php",
      text: `return [
    'default' => 'mysql',
    'connections' => [
        'mysql' => [
            'host'     => '127.0.0.1',
            'username' => 'forge',
            'password' => 'Quill\\'s End',
            'charset'  => 'utf8mb4',
        ],
    ],
];`,
      values: ["Quill\\'s End"],
    },
    {
      kind: "php",
      text: `$dbuser = 'phpbb';
$dbpasswd = 'Bulletin.Board';
$table_prefix = 'phpbb_';`,
      values: ["Bulletin.Board"],
    },
    { kind: "php", text: `$conn = new mysqli($host, $user, $pass = "margarinefree", $db);`, values: ["margarinefree"] },
    {
      kind: "php",
      text: `$cfg['Servers'][$i]['user'] = 'pma';
$cfg['Servers'][$i]['password'] = 'Rowboat/Oar';`,
      values: ["Rowboat/Oar"],
    },
    {
      kind: "python",
      text: `DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "herbal",
        "USER": "herbal",
        "PASSWORD": "Thyme and Tide",
        "HOST": "127.0.0.1",
    }
}`,
      values: ["Thyme and Tide"],
    },
    {
      kind: "python",
      text: `EMAIL_HOST_USER = 'post@herbal.example'
EMAIL_HOST_PASSWORD = r'Mint\\Leaf'
EMAIL_USE_TLS = True`,
      values: ["Mint\\Leaf"],
    },
    {
      kind: "python",
      text: `conn = psycopg2.connect(host="pg", dbname="tea", user="tea", password="Oolong!Kettle")`,
      values: ["Oolong!Kettle"],
    },
    {
      kind: "python",
      text: `def connect(host, user="svc", passwd='wheelbarrow race', port=22):
    client = paramiko.SSHClient()
    client.connect(host, port, user, passwd)`,
      values: ["wheelbarrow race"],
    },
    {
      kind: "python",
      text: `>>> cfg["admin"]["password"]
'hedgehogs in june'`,
      values: ["hedgehogs in june"],
    },
    { kind: "python", text: `{'user': 'etl', 'password': "D'Artagnan", 'host': 'dw'}`, values: ["D'Artagnan"] },
    {
      kind: "python",
      text: `session.post(LOGIN_URL, data=dict(login="pavel", pwd="Borscht"), timeout=10)`,
      values: ["Borscht"],
    },
    {
      kind: "python",
      text: `client.auth = ("reporter", "x")
PASSPHRASE: str = "Blue cheese, green grapes"
KEY_FILE: Path = Path("/etc/backup/id")`,
      values: ["Blue cheese, green grapes"],
    },
    {
      kind: "javascript",
      text: `const pool = mysql.createPool({
  host: 'db',
  user: 'kiosk',
  password: 'Pinball.Wizard',
  database: 'kiosk',
});`,
      values: ["Pinball.Wizard"],
    },
    {
      kind: "javascript",
      text: `await page.fill('#user', 'qa@example.com');
await page.fill('#password', 'Trampoline Park');
await page.click('text=Sign in');`,
      values: ["Trampoline Park"],
    },
    {
      kind: "javascript",
      text: `app.use(session({ secret: 'keyboard warriors unite', resave: false, saveUninitialized: false }));`,
      values: ["keyboard warriors unite"],
    },
    {
      kind: "javascript",
      text: "const DB_PASSWORD = `Accordion&Waltz`;\nconst DB_USER = `polka`;",
      values: ["Accordion&Waltz"],
    },
    {
      kind: "javascript",
      text: `const token = jwt.sign({ sub: user.id }, process.env.JWT_SECRET || 'raspberry-parachute', { expiresIn: '1h' });`,
      values: ["raspberry-parachute"],
    },
    {
      kind: "javascript",
      text: `db.createUser({
  user: "appUser",
  pwd: "Obsidian/Flow",
  roles: [{ role: "readWrite", db: "app" }]
})`,
      values: ["Obsidian/Flow"],
    },
    {
      kind: "javascript",
      text: `export default { auth: { user: "mailer", pass: "m4ilb0x.Flag" }, secure: true };`,
      values: ["m4ilb0x.Flag"],
    },
    {
      kind: "typescript",
      text: `const adminPassword: string = "Sundial";
const adminUser: string = "gnomon";`,
      values: ["Sundial"],
    },
    {
      kind: "typescript",
      text: `    12→  private readonly passphrase = 'Lemon.Zest';
    13→  private readonly algorithm = 'aes-256-gcm';`,
      values: ["Lemon.Zest"],
    },
    {
      kind: "go",
      text: `cfg := Config{
	Host:     "db",
	User:     "glacier",
	Password: "Crevasse Rope",
	Timeout:  5 * time.Second,
}`,
      values: ["Crevasse Rope"],
    },
    {
      kind: "go",
      text: `dsn := mysql.Config{User: "ski", Passwd: "Moraine", Net: "tcp", Addr: "db:3306"}`,
      values: ["Moraine"],
    },
    {
      kind: "go",
      text: `client := redis.NewClient(&redis.Options{Addr: "cache:6379", Password: "!Avalanche", DB: 0})`,
      values: ["!Avalanche"],
    },
    {
      kind: "rust",
      text: `let creds = Credentials {
    username: "ferris".to_string(),
    password: "Rock&Crab".to_string(),
    realm: None,
};`,
      values: ["Rock&Crab"],
    },
    {
      kind: "rust",
      text: `const ADMIN_PASSWORD: &str = "Oxidation";
const ADMIN_USER: &str = "iron";`,
      values: ["Oxidation"],
    },
    {
      kind: "java",
      text: `HikariConfig config = new HikariConfig();
config.setUsername("cinema");
config.setPassword("Velvet Curtain");
config.setMaximumPoolSize(10);`,
      values: ["Velvet Curtain"],
    },
    { kind: "java", text: `private static final String KEYSTORE_PASSWORD = "Usher/Torch";`, values: ["Usher/Torch"] },
    {
      kind: "java",
      text: `Map<String, String> props = Map.of("user", "sa", "password", "Projector");`,
      values: ["Projector"],
    },
    {
      kind: "kotlin",
      text: `val dbPassword = "Matinee!"
val dbUser = "cinema"`,
      values: ["Matinee!"],
    },
    {
      kind: "csharp",
      text: `var cred = new NetworkCredential { UserName = "svc", Password = @"Wine\\Cellar" };`,
      values: ["Wine\\Cellar"],
    },
    {
      kind: "csharp",
      text: `var builder = new SqlConnectionStringBuilder { DataSource = "sql", UserID = "wine", Password = "Cork$crew" };`,
      values: ["Cork$crew"],
    },
    {
      kind: "ruby",
      text: `Mail.defaults do
  delivery_method :smtp, address: "smtp", user_name: "bot", password: "Ruby Slippers"
end`,
      values: ["Ruby Slippers"],
    },
    {
      kind: "ruby",
      text: `{ :adapter => 'mysql2', :username => 'toto', :password => 'Yellow.Brick', :pool => 5 }`,
      values: ["Yellow.Brick"],
    },
    {
      kind: "perl",
      text: `my $dbh = DBI->connect($dsn, $user, my $password = q{Camel Hump}, { RaiseError => 1 });`,
      values: ["Camel Hump"],
    },
    {
      kind: "shell",
      text: `#!/usr/bin/env bash
set -euo pipefail
USER=backup
PASSWORD='it is raining frogs'
tar czf - /srv | openssl enc -aes-256-cbc -pass "pass:$PASSWORD" > out.enc`,
      values: ["it is raining frogs"],
    },
    {
      kind: "shell",
      text: `local pw="Gimlet\\$Eye"
login_as admin "$pw"`,
      values: ["Gimlet\\$Eye"],
    },
    {
      kind: "shell",
      text: `: "\${DB_PASSWORD:=Turnstile}"
exec ./server`,
      values: ["Turnstile"],
    },
    {
      kind: "elixir",
      text: `config :shop, Shop.Repo,
  username: "postgres",
  password: "Potion/Bottle",
  hostname: "localhost"`,
      values: ["Potion/Bottle"],
    },
    {
      kind: "swift",
      text: `let credentials = Credentials(user: "tim", password: "Swallow.Nest")`,
      values: ["Swallow.Nest"],
    },
    {
      kind: "cpp",
      text: `#define WIFI_SSID "Boathouse"
#define WIFI_PASSWORD "oars up"
#define MQTT_PORT 1883`,
      values: ["oars up"],
    },
    {
      kind: "cpp",
      text: `const char* ssid = "Boathouse";
const char *password = "Rudder&Tiller";`,
      values: ["Rudder&Tiller"],
    },
    {
      kind: "lua",
      text: `local ok, err = red:auth("Moonlight Mile")
local conf = { password = "Halfmoon", port = 6379 }`,
      values: ["Moonlight Mile", "Halfmoon"],
    },
    {
      kind: "vb",
      text: `strUser = "report"
strPassword = "Filing""Cabinet"
conn.Open strDsn, strUser, strPassword`,
      values: [`Filing""Cabinet`],
    },
    {
      kind: "nix",
      text: `services.nextcloud.config.adminuser = "root";
users.users.eva.password = "Snowflake Lambda";`,
      values: ["Snowflake Lambda"],
    },
    {
      kind: "groovy",
      text: `signingConfigs {
    release {
        storeFile file("release.keystore")
        storePassword "Sourdough"
        keyAlias "release"
        keyPassword 'Rye&Spelt'
    }
}`,
      values: ["Sourdough", "Rye&Spelt"],
    },
    {
      kind: "diff",
      text: `-    password: "Kumquat",
+    password: process.env.SMTP_PASSWORD,`,
      values: ["Kumquat"],
    },
    {
      kind: "diff",
      text: R`{"old_string":"password = \"Persimmon Tart\"","new_string":"password = os.environ[\"DB_PASSWORD\"]"}`,
      values: ["Persimmon Tart"],
    },

    // ---- SQL and directories
    {
      kind: "sql",
      text: `CREATE USER 'stall'@'%' IDENTIFIED BY 'Farmers.Market';
GRANT SELECT ON produce.* TO 'stall'@'%';`,
      values: ["Farmers.Market"],
    },
    {
      kind: "sql",
      text: `ALTER USER root@localhost IDENTIFIED WITH mysql_native_password BY 'Root&Branch';
FLUSH PRIVILEGES;`,
      values: ["Root&Branch"],
    },
    {
      kind: "sql",
      text: `CREATE ROLE importer LOGIN PASSWORD 'bill of lading' VALID UNTIL '2026-01-01';`,
      values: ["bill of lading"],
    },
    {
      kind: "sql",
      text: `postgres=# ALTER ROLE analyst WITH ENCRYPTED PASSWORD 'O''Hara';
ALTER ROLE`,
      values: ["O''Hara"],
    },
    {
      kind: "sql",
      text: `CREATE LOGIN webapp WITH PASSWORD = N'Turbine/Blade!', CHECK_POLICY = ON;`,
      values: ["Turbine/Blade!"],
    },
    { kind: "sql", text: `SET PASSWORD FOR 'bob'@'localhost' = PASSWORD('Builder Bob');`, values: ["Builder Bob"] },
    { kind: "sql", text: `ALTER USER hr IDENTIFIED BY "Staple#Gun" ACCOUNT UNLOCK;`, values: ["Staple#Gun"] },
    {
      kind: "sql",
      text: `INSERT INTO accounts (login, password, role) VALUES ('greta', 'Klimawandel', 'editor');`,
      values: ["Klimawandel"],
    },
    { kind: "sql", text: `UPDATE settings SET value = 'Mothball' WHERE name = 'smtp_password';`, values: ["Mothball"] },
    {
      kind: "sql",
      text: `UPDATE users SET password = 'Dandelion Wine', updated_at = now() WHERE id = 7;`,
      values: ["Dandelion Wine"],
    },
    {
      kind: "sql",
      text: `CREATE SERVER f FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'pg2', dbname 'a');
CREATE USER MAPPING FOR me SERVER f OPTIONS (user 'remote', password 'Long-Distance');`,
      values: ["Long-Distance"],
    },

    // ---- tables
    {
      kind: "psql",
      text: ` id | username |     password      | active
----+----------+-------------------+--------
  1 | admin    | Silver Birch      | t
  2 | guest    | Larch/Needle      | f
(2 rows)`,
      values: ["Silver Birch", "Larch/Needle"],
    },
    {
      kind: "psql",
      text: `-[ RECORD 1 ]---------
name     | mailgate
host     | 10.0.9.2
password | Rowanberry
enabled  | t`,
      values: ["Rowanberry"],
    },
    {
      kind: "mysql-table",
      text: `+----+--------+------------+
| id | user   | passwd     |
+----+--------+------------+
|  1 | shop   | Elderberry |
|  2 | stock  | Goose!Fat  |
+----+--------+------------+`,
      values: ["Elderberry", "Goose!Fat"],
    },
    {
      kind: "markdown-table",
      text: `| Environment | URL | User | Password |
|---|---|---|---|
| staging | https://stg.example | qa | Brass.Band |
| demo | https://demo.example | demo | marching drums |`,
      values: ["Brass.Band", "marching drums"],
    },
    {
      kind: "markdown-table",
      text: `| Key | Value |
|-----|-------|
| Host | 10.1.1.20 |
| Username | admin |
| Password | \`Rain&Shine\` |
| Port | 22 |`,
      values: ["Rain&Shine"],
    },
    {
      kind: "markdown",
      text: `## Access
- **User:** kim
- **Password:** Tangerine_Sky
- **URL:** https://wiki.example`,
      values: ["Tangerine_Sky"],
    },
    {
      kind: "markdown",
      text: "Log in with user `root` and password `Ostrich/Feather`, then open *Settings*.",
      values: ["Ostrich/Feather"],
    },
    {
      kind: "csv",
      text: `name,email,password,role
Ada,ada@example.com,Countess,admin
Grace,grace@example.com,"moth, taped",user`,
      values: ["Countess", "moth, taped"],
    },
    {
      kind: "csv",
      text: `url;username;password;note
https://bank.example;heidi;Ziegenpeter;privat
https://shop.example;heidi;Alm.Öhi;`,
      values: ["Ziegenpeter", "Alm.Öhi"],
    },
    {
      kind: "tsv",
      text: `host\tuser\tpw
nas\tadmin\tSpinning/Rust
nvr\tcam\tFisheye!`,
      values: ["Spinning/Rust", "Fisheye!"],
    },
    {
      kind: "html",
      text: `<form action="/login" method="post">
  <input type="text" name="user" value="mod">
  <input type="password" name="password" value="Gilded Cage">
  <button>Sign in</button>
</form>`,
      values: ["Gilded Cage"],
    },
    {
      kind: "html",
      text: `<tr><th>SSID</th><td>Lobby</td></tr>
<tr><th>Password</th><td>revolving door</td></tr>`,
      values: ["revolving door"],
    },
    {
      kind: "html",
      text: `<input value='Potted.Fern' id='wifi_key' name='wpa_passphrase' type='text' />`,
      values: ["Potted.Fern"],
    },
    {
      kind: "html",
      text: `<dl><dt>Benutzername</dt><dd>praktikant</dd><dt>Passwort</dt><dd>Butterbrot</dd></dl>`,
      values: ["Butterbrot"],
    },

    // ---- HTTP
    {
      kind: "http",
      text: `POST /oauth/token HTTP/1.1
Host: id.example
Content-Type: application/x-www-form-urlencoded

grant_type=password&username=rita&password=Meter%20Maid&client_id=web`,
      values: ["Meter%20Maid"],
    },
    {
      kind: "http",
      text: `> GET /v1/me HTTP/1.1
> Host: api.example
> Authorization: Basic cml0YTpNZXRlck1haWQ=
> Accept: */*`,
      values: ["cml0YTpNZXRlck1haWQ="],
    },
    {
      kind: "http",
      text: `headers: { 'Authorization': 'Bearer q8Zr2-vT_nH5yLk0wXc7BdP3mJsEaGf', 'Accept': 'application/json' }`,
      values: ["q8Zr2-vT_nH5yLk0wXc7BdP3mJsEaGf"],
    },
    {
      kind: "http",
      text: `curl -H "X-Api-Key: plum-orchard-teacup-91" https://api.example/v2/items`,
      values: ["plum-orchard-teacup-91"],
    },
    {
      kind: "http",
      text: `10.2.2.2 - - [03/Mar/2025:10:11:12 +0000] "GET /export?format=csv&token=vK2mWq84tRzY7pLx HTTP/1.1" 200 5120`,
      values: ["vK2mWq84tRzY7pLx"],
    },
    {
      kind: "http",
      text: `GET https://maps.example/tiles?z=3&passwd=Compass+Rose&layer=base`,
      values: ["Compass+Rose"],
    },
    {
      kind: "http",
      text: `------WebKitFormBoundary7MA4
Content-Disposition: form-data; name="login"

yuki
------WebKitFormBoundary7MA4
Content-Disposition: form-data; name="password"

Origami/Crane
------WebKitFormBoundary7MA4--`,
      values: ["Origami/Crane"],
    },
    {
      kind: "http",
      text: `set-cookie: sessionid=h3v9q2x7m1k8z5w4p6r0t8y2; Path=/; HttpOnly; Secure
content-type: text/html`,
      values: ["h3v9q2x7m1k8z5w4p6r0t8y2"],
    },
    {
      kind: "http",
      text: `# Netscape HTTP Cookie File
#HttpOnly_.forum.example\tTRUE\t/\tTRUE\t1767225600\tsession_token\tZt7Qm3Lw9Vx1Bc5Ny8Kd2Hs6`,
      values: ["Zt7Qm3Lw9Vx1Bc5Ny8Kd2Hs6"],
    },
    {
      kind: "graphql",
      text: R`{"query":"mutation($e:String!,$p:String!){login(email:$e,password:$p){id}}","variables":{"email":"ola@example.com","password":"Smørrebrød"}}`,
      values: ["Smørrebrød"],
    },
    {
      kind: "graphql",
      text: `mutation {
  signIn(input: { email: "ola@example.com", password: "Rullepølse & rye" }) { viewer { id } }
}`,
      values: ["Rullepølse & rye"],
    },
    {
      kind: "http",
      text: `POST /ws HTTP/1.1
X-Auth-User: probe
X-Auth-Password: Lightning.Rod
Content-Length: 0`,
      values: ["Lightning.Rod"],
    },

    // ---- logs
    {
      kind: "log",
      text: `2025-02-11 08:14:02,113 DEBUG [pool-1] c.e.Db - connecting url=jdbc:h2:mem user=sa password=Paperweight timeout=30`,
      values: ["Paperweight"],
    },
    {
      kind: "log",
      text: `time="2025-05-01T12:00:00Z" level=warning msg="default credentials in use" user=admin password="Stapler Red"`,
      values: ["Stapler Red"],
    },
    {
      kind: "log",
      text: `{"level":"debug","ts":1714564800,"msg":"login attempt","body":{"user":"noor","password":"Desert.Rose"},"ip":"10.0.0.8"}`,
      values: ["Desert.Rose"],
    },
    {
      kind: "log",
      text: `2024-12-01T06:00:01Z [Note] A temporary password is generated for root@localhost: k;Wd9uTz!qLp`,
      values: ["k;Wd9uTz!qLp"],
    },
    {
      kind: "log",
      text: `Oct 12 07:31:55 gw pppd[911]: sent [PAP AuthReq id=0x1 user="dsl" password="Copperwire"]`,
      values: ["Copperwire"],
    },
    {
      kind: "log",
      text: `Jenkins initial setup is required. An admin user has been created and a password generated.
Please use the following password to proceed to installation:

4f1d0b7a9c2e4863b5a7e90c1d2f3a68

This may also be found at: /var/jenkins_home/secrets/initialAdminPassword`,
      values: ["4f1d0b7a9c2e4863b5a7e90c1d2f3a68"],
    },
    {
      kind: "log",
      text: `INFO  seed: created user marta (marta@example.com) with password: Pierogi Night`,
      values: ["Pierogi Night"],
    },
    {
      kind: "log",
      text: `Traceback (most recent call last):
  File "sync.py", line 12, in <module>
    login(user='sync', password='Metronome')
TypeError: login() got an unexpected keyword argument 'user'`,
      values: ["Metronome"],
    },
    { kind: "log", text: `Credentials{username=grid, password=Hydrant.Red, roles=[viewer]}`, values: ["Hydrant.Red"] },
    {
      kind: "log",
      text: `DB_OPTS: #<struct Opts user="loc", password="Steam/Whistle", port=5432>`,
      values: ["Steam/Whistle"],
    },
    { kind: "log", text: `Your one-time PIN: 860412 (valid for 10 minutes)`, values: ["860412"] },
    {
      kind: "log",
      text: `argocd admin initial-password -n argocd
Password: Tentacle-Hat
 This password must be only used for first time login.`,
      values: ["Tentacle-Hat"],
    },
    {
      kind: "log",
      text: `Username: admin
Password (will not be shown again):
    Chimney Sweep 1912
Store it in a safe place.`,
      values: ["Chimney Sweep 1912"],
    },

    // ---- sentences in chat
    { kind: "chat", text: `the staging password is Blue.Harbour, please don't commit it`, values: ["Blue.Harbour"] },
    {
      kind: "chat",
      text: `login with admin / kestrel-nine and check if the export button shows up`,
      values: ["kestrel-nine"],
    },
    {
      kind: "chat",
      text: `Use the test account: user tess@example.com, pw Gingham!, then run the e2e suite.`,
      values: ["Gingham!"],
    },
    {
      kind: "chat",
      text: `I set the db password to "Under the bridge" on the new box. Can you update the compose file?`,
      values: ["Under the bridge"],
    },
    { kind: "chat", text: `My password's Winston1874 if you need to sudo`, values: ["Winston1874"] },
    {
      kind: "chat",
      text: `The passphrase for the key is: walnut harp lantern. Sign the release with it.`,
      values: ["walnut harp lantern"],
    },
    {
      kind: "chat",
      text: `wifi at the office -> SSID Atrium, password -> Ficus/Benjamina`,
      values: ["Ficus/Benjamina"],
    },
    {
      kind: "chat",
      text: `Please change the root password from Tadpole to Bullfrog.King and restart mysqld.`,
      values: ["Tadpole", "Bullfrog.King"],
    },
    { kind: "chat", text: `PIN for the safe = 3306-B, ask Lotte for the key`, values: ["3306-B"] },
    {
      kind: "chat",
      text: `I found the cause: the container was started with POSTGRES_PASSWORD=Candlestick while the app still uses the old one.`,
      values: ["Candlestick"],
    },
    { kind: "chat", text: `You can sign in as \`sophie\` with the password \`@Meadowlark\`.`, values: ["@Meadowlark"] },
    { kind: "chat", text: `creds for the vpn: hendrik:Polder+Dike`, values: ["Polder+Dike"] },
    {
      kind: "chat",
      text: `Here you go
user: intern
pass: Coffee.Run
host: build-3`,
      values: ["Coffee.Run"],
    },
    {
      kind: "chat",
      text: `I'll log in to the router now (admin password: #Lighthouse) and check the DHCP leases.`,
      values: ["#Lighthouse"],
    },
    {
      kind: "chat",
      text: `the api token for the weather station is stratus-cumulus-nimbus, it goes in the x-token header`,
      values: ["stratus-cumulus-nimbus"],
    },
    {
      kind: "chat",
      text: `Done. I created the user \`auditor\` with password \`Ledger&Quill\` and granted read access.`,
      values: ["Ledger&Quill"],
    },
    { kind: "chat", text: `pw: Mom's Spaghetti`, values: ["Mom's Spaghetti"] },
    { kind: "chat", text: `The zip password is “Vesuvius”, same as last year.`, values: ["Vesuvius"] },
    { kind: "chat", text: `secret = don't_panic_towel`, values: ["don't_panic_towel"] },
    {
      kind: "chat",
      text: `for the sandbox you need username sandbox_api and password Qu!cksand (case sensitive)`,
      values: ["Qu!cksand"],
    },

    // ---- labels in other languages and full-width punctuation
    {
      kind: "german",
      text: `Das Passwort für den Testserver lautet Sommer.Regen, Benutzer ist test.`,
      values: ["Sommer.Regen"],
    },
    {
      kind: "german",
      text: `Benutzername: buchhaltung
Kennwort: Rotstift
Mandant: 001`,
      values: ["Rotstift"],
    },
    {
      kind: "german",
      text: `Zugangsdaten NAS
Nutzer = familie
Passwort = Oma's Garten`,
      values: ["Oma's Garten"],
    },
    {
      kind: "german",
      text: `WLAN-Schlüssel: Gartenzwerg&Co
WLAN-Name: Hinterhaus`,
      values: ["Gartenzwerg&Co"],
    },
    {
      kind: "french",
      text: `Identifiant : camille
Mot de passe : Papillon/Bleu
Serveur : ftp.exemple.fr`,
      values: ["Papillon/Bleu"],
    },
    {
      kind: "french",
      text: `le mot de passe de la base est « Crème.Brûlée », merci de le changer après`,
      values: ["Crème.Brûlée"],
    },
    {
      kind: "french",
      text: `mot_de_passe = "renard argenté"
hote = "localhost"`,
      values: ["renard argenté"],
    },
    {
      kind: "spanish",
      text: `Usuario: lucia
Contraseña: Girasol.Verde
Puerto: 5432`,
      values: ["Girasol.Verde"],
    },
    {
      kind: "spanish",
      text: `la contraseña del servidor es Molino!Viento y el usuario es quijote`,
      values: ["Molino!Viento"],
    },
    {
      kind: "spanish",
      text: `clave=Naranja y Limon
usuario=tienda`,
      values: ["Naranja y Limon"],
    },
    {
      kind: "portuguese",
      text: `usuário: rafael
senha: Bacalhau@Porto`,
      values: ["Bacalhau@Porto"],
    },
    {
      kind: "italian",
      text: `Utente: giulia
Parola d'ordine: apriti sesamo bello
Password: Gelato.Limone`,
      values: ["apriti sesamo bello", "Gelato.Limone"],
    },
    {
      kind: "chinese",
      text: `用户名：admin
密码：QingFeng.MingYue
地址：10.0.0.12`,
      values: ["QingFeng.MingYue"],
    },
    { kind: "chinese", text: `测试环境的数据库密码是 Hutong_Lane，请不要提交到仓库`, values: ["Hutong_Lane"] },
    { kind: "chinese", text: `账号: wangwei  口令: chunjiang#huayue`, values: ["chunjiang#huayue"] },
    {
      kind: "japanese",
      text: `ユーザー名：tanaka
パスワード：Sakura/Fubuki
ポート：8080`,
      values: ["Sakura/Fubuki"],
    },
    {
      kind: "fullwidth",
      text: `password：Bamboo Flute
user：panda`,
      values: ["Bamboo Flute"],
    },
    {
      kind: "fullwidth",
      text: `DB_PASSWORD＝Ink.Stone
DB_USER＝scholar`,
      values: ["Ink.Stone"],
    },
    {
      kind: "russian",
      text: `Логин: irina
Пароль: Матрёшка
Хост: 10.8.0.1`,
      values: ["Матрёшка"],
    },
    {
      kind: "dutch",
      text: `gebruikersnaam: joost
wachtwoord: Stroopwafel`,
      values: ["Stroopwafel"],
    },

    // ---- connection strings and addresses
    {
      kind: "url",
      text: `DATABASE_URL=postgres://orders:Lantern@pg.example:5432/orders?sslmode=require`,
      values: ["Lantern"],
    },
    { kind: "url", text: `DATABASE_URL="postgresql://app:Anna@Home@10.0.0.5:5432/app"`, values: ["Anna@Home"] },
    { kind: "url", text: `SQLALCHEMY_DATABASE_URI = "mysql+pymysql://web:Peter/Paul@db/web"`, values: ["Peter/Paul"] },
    {
      kind: "url",
      text: `mongodb+srv://svc:Sea'Salt@cluster0.x1y2z.mongodb.net/prod?retryWrites=true&w=majority`,
      values: ["Sea'Salt"],
    },
    { kind: "url", text: `REDIS_URL=redis://:Snowdrift@cache:6379/0`, values: ["Snowdrift"] },
    { kind: "url", text: `redis-cli -u rediss://default:Polar!Bear@eu1-redis.example:33079`, values: ["Polar!Bear"] },
    { kind: "url", text: `amqp://worker:Burrow@rabbit:5672/%2Fjobs`, values: ["Burrow"] },
    { kind: "url", text: `git clone https://lena:Wanderlust@git.example/team/site.git`, values: ["Wanderlust"] },
    {
      kind: "url",
      text: `$ git remote -v
origin  https://ci:Garden.Shed@git.example/team/site.git (fetch)
origin  https://ci:Garden.Shed@git.example/team/site.git (push)`,
      values: ["Garden.Shed"],
    },
    {
      kind: "url",
      text: `https://olaf:Fr0zen%23Lake@dav.example
https://olaf:Troll+Bridge@git.example`,
      values: ["Fr0zen%23Lake", "Troll+Bridge"],
    },
    {
      kind: "url",
      text: `export HTTPS_PROXY=http://corp\\u104:Tulip.Fever@proxy.corp.example:8080`,
      values: ["Tulip.Fever"],
    },
    {
      kind: "url",
      text: `jdbc:sqlserver://sql01:1433;databaseName=Stock;user=stock;password={Brace;Yourself};encrypt=true`,
      values: ["Brace;Yourself"],
    },
    {
      kind: "url",
      text: `jdbc:mysql://db:3306/tours?user=guide&password=Alpenglow&useSSL=false`,
      values: ["Alpenglow"],
    },
    { kind: "url", text: `jdbc:oracle:thin:scott/Leopard@//ora1:1521/ORCL`, values: ["Leopard"] },
    {
      kind: "url",
      text: `Server=tcp:shop.database.windows.net,1433;Initial Catalog=shop;User ID=shopadmin;Password=Basket&Till;Encrypt=True;`,
      values: ["Basket&Till"],
    },
    {
      kind: "url",
      text: `Driver={ODBC Driver 18 for SQL Server};Server=sql;Uid=dw;Pwd=Star Schema;TrustServerCertificate=yes`,
      values: ["Star Schema"],
    },
    {
      kind: "url",
      text: `host=pg.example port=5432 dbname=clinic user=doc password='Dr. No' sslmode=verify-full`,
      values: ["Dr. No"],
    },
    { kind: "url", text: `dsn = "postgresql://reader:$torm/Petrel@db.example/birds"`, values: ["$torm/Petrel"] },
    { kind: "url", text: `sftp://upload:Pier39.Seal@files.example:22/in`, values: ["Pier39.Seal"] },
    { kind: "url", text: `ftp> open ftp://anders:Lingonberry@ftp.example/`, values: ["Lingonberry"] },
    { kind: "url", text: `MAILER_DSN=smtp://post%40example.com:Envelope!@smtp.example:587`, values: ["Envelope!"] },
    {
      kind: "url",
      text: R`{"error":"could not connect","dsn":"postgres:\/\/api:Trellis@db:5432\/api"}`,
      values: ["Trellis"],
    },
    { kind: "url", text: `root:Crow&Nest@tcp(127.0.0.1:3306)/ships?parseTime=true`, values: ["Crow&Nest"] },
    { kind: "url", text: `ldap://cn=svc,dc=oak,dc=example:Acorn@ldap.example:389`, values: ["Acorn"] },
    {
      kind: "url",
      text: `DefaultEndpointsProtocol=https;AccountName=photos;AccountKey=${AZKEY};EndpointSuffix=core.windows.net`,
      values: [AZKEY],
    },
    {
      kind: "url",
      text: `Connecting to clickhouse://default:Oyster%2FBed@ch:9000/events ... failed: connection refused`,
      values: ["Oyster%2FBed"],
    },
    { kind: "url", text: `rtsp://viewer:Peephole@192.168.1.64:554/Streaming/Channels/101`, values: ["Peephole"] },
    {
      kind: "url",
      text: `psql "postgresql://migrator@pg:5432/app?password=Northern%20Geese&sslmode=require"`,
      values: ["Northern%20Geese"],
    },
    {
      kind: "url",
      text: `sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to "postgresql+psycopg2://metrics:Rain.Gauge@10.0.3.7/metrics" refused`,
      values: ["Rain.Gauge"],
    },
    {
      kind: "url",
      text: `Traefik log: forwarding to http://admin:H@lf-Timbered@10.0.0.4:8081/ping`,
      values: ["H@lf-Timbered"],
    },
    { kind: "url", text: `CELERY_BROKER_URL: "redis://:!Thistle/Down@broker:6379/1"`, values: ["!Thistle/Down"] },
    {
      kind: "url",
      text: `pip install --extra-index-url https://reader:Shelf+Life@pypi.example/simple/ ourlib==2.1`,
      values: ["Shelf+Life"],
    },
    {
      kind: "url",
      text: `curl -x socks5h://tunnel:Mole.Hill@127.0.0.1:1080 https://ifconfig.example`,
      values: ["Mole.Hill"],
    },
    {
      kind: "url",
      text: `"uri": "mongodb://root:#Cactus@mongo-0:27017,mongo-1:27017/admin?replicaSet=rs0"`,
      values: ["#Cactus"],
    },
    {
      kind: "url",
      text: `Data Source=ora1;User Id=payroll;Password="Semi;Colon";Pooling=true`,
      values: ["Semi;Colon"],
    },
    {
      kind: "url",
      text: `Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=${BUSKEY}`,
      values: [BUSKEY],
    },
    {
      kind: "url",
      text: `Host=pg;Username=inventory;Password=Conveyor Belt;Database=inventory`,
      values: ["Conveyor Belt"],
    },
    {
      kind: "url",
      text: `the dev database is at mysql://dev:Waffle.Iron@db-dev.example:3306/dev, can you dump the schema?`,
      values: ["Waffle.Iron"],
    },
    {
      kind: "url",
      text: `Proxy URL: http://CORP%5Cmeier:Schl%C3%BCsselbund@proxy:3128`,
      values: ["Schl%C3%BCsselbund"],
    },
    { kind: "url", text: `nats://edge:Albatross@nats-1:4222,nats://edge:Albatross@nats-2:4222`, values: ["Albatross"] },

    // ---- vendor tokens and keys
    {
      kind: "github",
      text: `export GITHUB_TOKEN=${GHP}
gh pr list --limit 5`,
      values: [GHP],
    },
    {
      kind: "github",
      text: `git push https://x-access-token:${GHS}@github.com/acme/shop.git HEAD:main`,
      values: [GHS],
    },
    { kind: "github", text: `use this one please ${GHPAT} it can read the private repos`, values: [GHPAT] },
    {
      kind: "github",
      text: `github.com
  ✓ Logged in to github.com account mona (keyring)
  - Token: ${GHO}
  - Token scopes: 'gist', 'read:org', 'repo'`,
      values: [GHO],
    },
    {
      kind: "github",
      text: `github.com:
    user: mona
    oauth_token: ${GHP2}
    git_protocol: https`,
      values: [GHP2],
    },
    { kind: "slack", text: `const app = new App({ token: "${SLACKB}", socketMode: false });`, values: [SLACKB] },
    {
      kind: "slack",
      text: `slack_user: ${SLACKP}
slack_channel: "#deploys"`,
      values: [SLACKP],
    },
    {
      kind: "slack",
      text: `curl -X POST --data '{"text":"done"}' https://hooks.slack.com/serv${""}ices/${SLACKHOOK}`,
      values: [SLACKHOOK.split("/")[2] ?? ""],
    },
    {
      kind: "aws",
      text: `[default]
aws_access_key_id = ${AWSID}
aws_secret_access_key = ${AWSSEC}
region = eu-west-1`,
      values: [AWSSEC],
    },
    {
      kind: "aws",
      text: `{
    "AccessKey": {
        "UserName": "backup",
        "Status": "Active",
        "SecretAccessKey": "${AWSSEC2}",
        "CreateDate": "2025-01-14T10:22:31+00:00"
    }
}`,
      values: [AWSSEC2],
    },
    {
      kind: "aws",
      text: `export AWS_SESSION_TOKEN="${AWSSESS}"
aws sts get-caller-identity`,
      values: [AWSSESS],
    },
    {
      kind: "stripe",
      text: `STRIPE_PUBLIC=pk_live_on_the_dashboard
STRIPE_SECRET_KEY=${STRIPE}`,
      values: [STRIPE],
    },
    { kind: "stripe", text: `stripe.api_key = '${STRIPER}'`, values: [STRIPER] },
    { kind: "stripe", text: `> Ready! Your webhook signing secret is ${STRIPEWH} (^C to quit)`, values: [STRIPEWH] },
    { kind: "openai", text: `client = OpenAI(api_key="${OPENAI}")`, values: [OPENAI] },
    {
      kind: "openai",
      text: `openai.AuthenticationError: Error code: 401 - Incorrect API key provided: ${OPENAI2}. You can find your API key at the dashboard.`,
      values: [OPENAI2],
    },
    {
      kind: "anthropic",
      text: `curl https://api.anthropic.com/v1/messages -H "x-api-key: ${ANTH}" -H "anthropic-version: 2023-06-01"`,
      values: [ANTH],
    },
    {
      kind: "npm",
      text: `$ cat ~/.npmrc
registry=https://registry.npmjs.org/
//registry.npmjs.org/:_authToken=${NPM}`,
      values: [NPM],
    },
    {
      kind: "gitlab",
      text: `curl --header "PRIVATE-TOKEN: ${GLPAT}" https://gitlab.example/api/v4/projects/12`,
      values: [GLPAT],
    },
    {
      kind: "gitlab",
      text: `git clone https://gitlab+deploy-token-4:${GLRT}@gitlab.example/ops/charts.git`,
      values: [GLRT],
    },
    {
      kind: "google",
      text: `<script src="https://maps.googleapis.com/maps/api/js?key=${GOOG}&callback=initMap"></script>`,
      values: [GOOG],
    },
    {
      kind: "google",
      text: `{"web":{"client_id":"8812-web.apps.googleusercontent.com","client_secret":"${GOCSPX}","redirect_uris":["http://localhost:8080"]}}`,
      values: [GOCSPX],
    },
    {
      kind: "google",
      text: `$ gcloud auth print-access-token
${YA29}`,
      values: [YA29],
    },
    {
      kind: "google",
      text: `{
  "type": "service_account",
  "project_id": "tidepool",
  "private_key": "${BEGIN("")}\\n${PKCS8_BODY.join("\\n")}\\n${END("")}\\n",
  "client_email": "robot@tidepool.iam.gserviceaccount.com"
}`,
      values: PKCS8_BODY,
    },
    {
      kind: "twilio",
      text: `TWILIO_ACCOUNT_SID=${TWSID}
TWILIO_AUTH_TOKEN=${TWTOK}
TWILIO_FROM=+15005550006`,
      values: [TWTOK],
    },
    { kind: "sendgrid", text: `sgMail.setApiKey('${SENDGRID}');`, values: [SENDGRID] },
    {
      kind: "mailgun",
      text: `curl -s --user 'api:${MAILGUN}' https://api.mailgun.net/v3/mg.example/messages -F subject=hi`,
      values: [MAILGUN],
    },
    { kind: "discord", text: `client.login("${DISCORD}")`, values: [DISCORD] },
    {
      kind: "telegram",
      text: `https://api.telegram.org/bot${TELEGRAM}/getUpdates`,
      values: [TELEGRAM.split(":")[1] ?? ""],
    },
    { kind: "digitalocean", text: `doctl auth init --access-token ${DOPAT}`, values: [DOPAT] },
    { kind: "pypi", text: `twine upload -u __token__ -p ${PYPI} dist/*`, values: [PYPI] },
    { kind: "huggingface", text: `huggingface-cli login --token ${HFTOK} --add-to-git-credential`, values: [HFTOK] },
    { kind: "shopify", text: `X-Shopify-Access-Token: ${SHOP}`, values: [SHOP] },
    {
      kind: "databricks",
      text: `[DEFAULT]
host = https://adb-1.azuredatabricks.net
token = ${DAPI}`,
      values: [DAPI],
    },
    {
      kind: "vault",
      text: `Key                  Value
---                  -----
token                ${HVS}
token_accessor       kept elsewhere
token_duration       768h`,
      values: [HVS],
    },
    {
      kind: "age",
      text: `# created: 2025-02-02T10:00:00Z
# public key: age1qz0q3v6m4example
${AGE}`,
      values: [AGE],
    },
    { kind: "linear", text: `LINEAR=${LINEAR} node sync.js`, values: [LINEAR] },
    { kind: "notion", text: `const notion = new Client({ auth: '${NOTION}' })`, values: [NOTION] },
    { kind: "grafana", text: `curl -H "Authorization: Bearer ${GLSA}" http://grafana:3000/api/org`, values: [GLSA] },
    { kind: "dockerhub", text: `echo ${DOCKERPAT} | docker login -u acme --password-stdin`, values: [DOCKERPAT] },
    { kind: "groq", text: `{"env":{"GROQ_API_KEY":"${GROQ}","MODEL":"small"}}`, values: [GROQ] },
    {
      kind: "jwt",
      text: `localStorage.getItem('jwt')
'${JWT1}'`,
      values: [JWT1],
    },
    { kind: "jwt", text: `{"access":"${JWT2}","expires_in":3600,"scope":"openid"}`, values: [JWT2] },
    {
      kind: "pem",
      text: `$ cat server.key
${BEGIN("RSA ")}
${RSA_BODY.join("\n")}
${END("RSA ")}
$ ls`,
      values: RSA_BODY,
    },
    {
      kind: "pem",
      text: `     1\t${BEGIN("EC ")}
     2\t${EC_BODY[0]}
     3\t${EC_BODY[1]}
     4\t${EC_BODY[2]}
     5\t${END("EC ")}`,
      values: EC_BODY,
    },
    {
      kind: "pem",
      text: `deploy_key: |
  ${BEGIN("OPENSSH ")}
  ${SSH_BODY.join("\n  ")}
  ${END("OPENSSH ")}
deploy_user: git`,
      values: SSH_BODY,
    },
    {
      kind: "pem",
      text: `-----BE${""}GIN PGP PRIVATE KEY BLOCK-----

${PGP_BODY.join("\n")}
=qT4z
-----END PGP PRIVATE KEY BLOCK-----`,
      values: PGP_BODY,
    },
    {
      kind: "wireguard",
      text: `[Interface]
Address = 10.66.0.2/32
PrivateKey = ${WG}
DNS = 10.66.0.1`,
      values: [WG],
    },
    {
      kind: "anthropic",
      text: `why does this fail? I put ANTHROPIC_API_KEY=${ANTH2} in the env and still get 401`,
      values: [ANTH2],
    },
    {
      kind: "anthropic",
      text:
        R`{"claudeAiOauth":{"accessToken":"` + ANTHOAT + R`","expiresAt":1767225600000,"scopes":["user:inference"]}}`,
      values: [ANTHOAT],
    },
    {
      kind: "openai",
      text: `     7\tMODEL=small
     8\tOPENAI_API_KEY=${OPENAI3}
     9\tTIMEOUT=30`,
      values: [OPENAI3],
    },
    {
      kind: "github",
      text:
        R`{"mcpServers":{"github":{"command":"npx","args":["server-github"],"env":{"GITHUB_PERSONAL_ACCESS_TOKEN":"` +
        GHP3 +
        R`"}}}}`,
      values: [GHP3],
    },
    { kind: "github", text: `refresh_token=${GHR}&refresh_token_expires_in=15811200&token_type=bearer`, values: [GHR] },
    {
      kind: "slack",
      text: `SLACK_APP_TOKEN=${SLACKAPP}
SLACK_LOG_LEVEL=debug`,
      values: [SLACKAPP],
    },
    { kind: "cloudflare", text: `CLOUDFLARE_API_TOKEN=${CFTOK} npx wrangler deploy`, values: [CFTOK] },
    {
      kind: "azure",
      text: `{
  "appId": "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f",
  "displayName": "ci-deployer",
  "password": "${AZSEC}",
  "tenant": "0a1b2c3d-4e5f-4a6b-8c7d-8e9f0a1b2c3d"
}`,
      values: [AZSEC],
    },
    {
      kind: "google",
      text: `{"client_id":"8812.apps.googleusercontent.com","refresh_token":"${GREFRESH}","type":"authorized_user"}`,
      values: [GREFRESH],
    },
    {
      kind: "twilio",
      text: `twilio api:core:keys:create
SID         ${TWSK}
Secret      ${TWSEC}`,
      values: [TWSEC],
    },
    { kind: "sentry", text: `sentry-cli --auth-token ${SENTRY} releases list`, values: [SENTRY] },
    { kind: "postman", text: `newman run https://api.getpostman.com/collections/12?apikey=${PMAK}`, values: [PMAK] },
    {
      kind: "heroku",
      text: `$ heroku auth:token
${HEROKU}`,
      values: [HEROKU],
    },
    {
      kind: "datadog",
      text: `datadog:
  api_key: ${DDKEY}
  site: datadoghq.eu`,
      values: [DDKEY],
    },
    {
      kind: "npm",
      text: `#8 [4/6] RUN npm config set //registry.npmjs.org/:_authToken ${NPM2} && npm ci
#8 DONE 12.1s`,
      values: [NPM2],
    },
    {
      kind: "aws",
      text: `docker run -e AWS_REGION=eu-west-1 -e AWS_SECRET_ACCESS_KEY=${AWSSEC3} tool:latest sync`,
      values: [AWSSEC3],
    },
    {
      kind: "jwk",
      text: `{
  "kty": "RSA",
  "e": "AQAB",
  "n": "public-modulus-left-out",
  "d": "${RSA_D}",
  "p": "${RSA_P}",
  "q": "${RSA_Q}"
}`,
      values: [RSA_D, RSA_P, RSA_Q],
    },
    {
      kind: "pem",
      text: `PuTTY-User-Key-File-3: ssh-ed25519
Encryption: none
Comment: deploy
Private-Lines: 2
${PPK_BODY.join("\n")}
Private-MAC: left out`,
      values: PPK_BODY,
    },
    {
      kind: "pem",
      text: `APPLE_KEY="${BEGIN("")}\\n${P8_BODY[0]}\\n${P8_BODY[1]}\\n${END("")}"
APPLE_TEAM=Q1W2E3R4T5`,
      values: P8_BODY,
    },
  ],

  nearMisses: [
    // ---- code that handles passwords without holding one
    {
      kind: "code-ref",
      text: `const pool = new Pool({
  host: process.env.DB_HOST,
  user: process.env.DB_USER,
  password: process.env.DB_PASSWORD,
});`,
    },
    {
      kind: "code-ref",
      text: `password: config.password,
passphrase: options.passphrase ?? undefined,
token: this.token,`,
    },
    {
      kind: "code-ref",
      text: `const password = getPassword(user.id);
const hash = await bcrypt.hash(password, 12);
return { ok: await bcrypt.compare(password, row.password_hash) };`,
    },
    {
      kind: "code-ref",
      text: `password = os.environ["DB_PASSWORD"]
passwd = os.getenv("FTP_PASSWD")
secret = settings.SECRET_KEY`,
    },
    {
      kind: "code-ref",
      text: `password = getpass.getpass("Password: ")
if not password:
    raise ValueError("password is required")`,
    },
    { kind: "code-ref", text: "DB_PASSWORD=${DB_PASSWORD}\nREDIS_PASSWORD=${REDIS_PASSWORD:-}\nSMTP_PASS=$SMTP_PASS" },
    {
      kind: "code-ref",
      text: 'DB_PASSWORD=$(cat /run/secrets/db_password)\nexport PGPASSWORD=$(pass show pg/prod)\nexec "$@"',
    },
    { kind: "code-ref", text: "export TOKEN=`vault read -field=token auth/ci`" },
    {
      kind: "code-ref",
      text: `mysql_root_password: "{{ vault_mysql_root_password }}"
ansible_become_pass: "{{ lookup('env', 'BECOME_PASS') }}"`,
    },
    {
      kind: "code-ref",
      text: `env:
  NPM_TOKEN: \${{ secrets.NPM_TOKEN }}
  DB_PASSWORD: \${{ secrets.DB_PASSWORD }}`,
    },
    {
      kind: "code-ref",
      text: `password = var.db_password
master_password = random_password.master.result
admin_password = data.vault_generic_secret.db.data["password"]`,
    },
    {
      kind: "code-ref",
      text: `spring.datasource.password=\${DB_PASSWORD}
spring.mail.password=\${SMTP_PASSWORD:}`,
    },
    {
      kind: "code-ref",
      text: `'password' => env('DB_PASSWORD', ''),
'username' => env('DB_USERNAME', 'forge'),`,
    },
    {
      kind: "code-ref",
      text: `password: <%= ENV["DATABASE_PASSWORD"] %>
username: <%= ENV.fetch("DATABASE_USER") %>`,
    },
    {
      kind: "code-ref",
      text: `cfg.Password = os.Getenv("DB_PASSWORD")
if cfg.Password == "" {
	return errors.New("password not set")
}`,
    },
    {
      kind: "code-ref",
      text: `let password = std::env::var("DB_PASSWORD").expect("DB_PASSWORD must be set");
let secret: Option<String> = None;`,
    },
    {
      kind: "code-ref",
      text: `String password = request.getParameter("password");
char[] pass = console.readPassword("Enter password: ");`,
    },
    {
      kind: "code-ref",
      text: `$password = $_POST['password'];
$pass = password_hash($password, PASSWORD_DEFAULT);
if (!password_verify($password, $user->password)) { abort(401); }`,
    },
    {
      kind: "code-ref",
      text: `mysql -u root -p"$MYSQL_ROOT_PASSWORD" -e 'show databases'
curl -u "$USER:$PASS" https://example.com
sshpass -p "$SSH_PASS" ssh host`,
    },
    { kind: "code-ref", text: `echo "$REGISTRY_TOKEN" | docker login ghcr.io -u "$GITHUB_ACTOR" --password-stdin` },
    { kind: "code-ref", text: `helm upgrade app ./chart --set db.password="$DB_PASSWORD" --set db.user=app` },
    { kind: "code-ref", text: `await login(page, { user: testUser.email, password: testUser.password });` },
    {
      kind: "code-ref",
      text: `const { username, password } = req.body;
if (!username || !password) return res.status(400).end();`,
    },
    {
      kind: "code-ref",
      text: `self.password = password
self.token = token or None
self.secret = secrets.token_hex(32)`,
    },
    { kind: "code-ref", text: "const url = `postgres://${user}:${password}@${host}:${port}/${db}`;" },
    { kind: "code-ref", text: `f"postgresql://{user}:{password}@{host}/{name}"` },
    {
      kind: "code-ref",
      text: `Authorization: Bearer \${accessToken}
headers["Authorization"] = "Basic " + btoa(user + ":" + pass);`,
    },
    {
      kind: "code-type",
      text: `interface LoginRequest {
  username: string;
  password: string;
  token?: string | null;
  passphrase: Buffer | undefined;
}`,
    },
    {
      kind: "code-type",
      text: `type Config struct {
	User     string \`json:"user"\`
	Password string \`json:"password,omitempty"\`
	Token    *Secret
}`,
    },
    {
      kind: "code-type",
      text: `class Credentials(BaseModel):
    username: str
    password: SecretStr
    token: Optional[str] = None`,
    },
    {
      kind: "code-type",
      text: `pub struct Login { pub user: String, pub password: Option<SecretString>, token: Token }`,
    },
    { kind: "code-type", text: `data class Login(val user: String, val password: CharArray, val pin: Int)` },
    {
      kind: "code-type",
      text: `def connect(host: str, user: str, password: str | None = None, token: bytes = b"") -> Connection:`,
    },
    {
      kind: "code-type",
      text: `private string _password;
public string Password { get; set; }
public SecureString? Passphrase { get; init; }`,
    },
    {
      kind: "code-type",
      text: `const loginSchema = z.object({
  email: z.string().email(),
  password: z.string().min(12),
  token: z.string().optional(),
});`,
    },
    {
      kind: "code-type",
      text: `password: { type: DataTypes.STRING, allowNull: false },
secret: { type: Boolean, default: false },`,
    },
    {
      kind: "code-type",
      text: `function resetPassword(token: string, password: string): Promise<void>;
declare const hasPassword: boolean;`,
    },
    {
      kind: "code-flag",
      text: `showPassword: false,
rememberPassword: true,
requirePassword = True
passwordless: true`,
    },
    { kind: "code-flag", text: `{"password": null, "token": "", "secret": false, "pin": null}` },
    {
      kind: "code-flag",
      text: `PASSWORD_MIN_LENGTH=12
PASSWORD_MAX_AGE=90
TOKEN_TTL_SECONDS=3600
SECRET_ROTATION_DAYS=30`,
    },
    {
      kind: "code-flag",
      text: `PasswordAuthentication no
PermitEmptyPasswords no
PermitRootLogin prohibit-password`,
    },
    {
      kind: "code-html",
      text: `<label for="password">Password</label>
<input type="password" id="password" name="password" placeholder="Password" autocomplete="current-password" required>`,
    },
    {
      kind: "code-html",
      text: `<input type="hidden" name="_csrf" value="">
<meta name="csrf-token" content="">`,
    },
    {
      kind: "code-html",
      text: `<PasswordField label={t('login.password')} value={password} onChange={setPassword} />`,
    },
    {
      kind: "code-css",
      text: `.password-input { color: var(--token-color-text); }
:root { --token-space-2: 8px; --password-strength-weak: #d33; }`,
    },
    {
      kind: "code-css",
      text: `{"color":{"token":{"primary":{"value":"#1a73e8","type":"color"},"danger":{"value":"#c5221f"}}}}`,
    },
    {
      kind: "code-test",
      text: `it('should reject wrong password', async () => {
  const res = await request(app).post('/login').send(badLogin);
  expect(res.status).toBe(401);
});`,
    },
    {
      kind: "code-test",
      text: `def test_password_is_not_logged(caplog):
    assert "password" not in caplog.text`,
    },
    {
      kind: "code-test",
      text: `PASS src/auth/password.test.ts
  ✓ rejects an empty password (3 ms)
  ✓ hashes the password before saving (41 ms)

Tests:       12 passed, 12 total`,
    },
    {
      kind: "code-diff",
      text: `-    password: config.password,
+    password: await secrets.get('db/password'),
     database: config.database,`,
    },
    {
      kind: "code-diff",
      text: `@@ -4,6 +4,7 @@ export class AuthService {
   constructor(
     private readonly tokens: TokenService,
+    private readonly passwords: PasswordService,
   ) {}`,
    },
    {
      kind: "code-grep",
      text: `src/auth.ts:14:  const password = form.get("password");
src/auth.ts:22:    throw new Error("invalid password");
src/user.ts:3:import { hashPassword } from "./password";`,
    },
    {
      kind: "code-parse",
      text: `for (const token of tokens) {
  if (token.type === "string") pass = true;
  secretCount += token.length;
}`,
    },
    {
      kind: "code-parse",
      text: `tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
pad_token = tokenizer.pad_token
eos_token: "</s>"`,
    },
    {
      kind: "code-parse",
      text: `enum TokenKind { Identifier, Keyword, Number, EndOfFile }
token: Token = lexer.next()`,
    },
    {
      kind: "code-sql",
      text: `CREATE TABLE users (
  id bigserial PRIMARY KEY,
  email varchar(255) NOT NULL UNIQUE,
  password_hash varchar(255) NOT NULL,
  reset_token varchar(64),
  pin char(4)
);`,
    },
    {
      kind: "code-sql",
      text: `SELECT id, email, password_hash FROM users WHERE email = $1;
UPDATE users SET password_hash = $2 WHERE id = $1;`,
    },
    {
      kind: "code-sql",
      text: `ALTER TABLE accounts ADD COLUMN password text;
ALTER ROLE app WITH PASSWORD NULL;`,
    },
    {
      kind: "code-sql",
      text: ` Column        |          Type          | Nullable
---------------+------------------------+----------
 username      | character varying(64)  | not null
 password      | character varying(255) | not null
 token         | uuid                   |`,
    },

    // ---- placeholders and masked values
    {
      kind: "placeholder",
      text: `DB_PASSWORD=<your-password>
API_TOKEN=<paste token here>
SECRET_KEY=`,
    },
    {
      kind: "placeholder",
      text: `password: ********
token: ****
passphrase: [REDACTED]`,
    },
    {
      kind: "placeholder",
      text: `password=xxxxxxxx
pwd=XXXX`,
    },
    {
      kind: "placeholder",
      text: `mysql -u <user> -p<password> <database>
curl -u USER:PASSWORD https://example.com`,
    },
    { kind: "placeholder", text: `postgres://user:password@localhost:5432/dbname` },
    {
      kind: "placeholder",
      text: `"password": "your_password_here",
"token": "YOUR_API_TOKEN"`,
    },
    {
      kind: "placeholder",
      text: `password: ...
secret: …`,
    },
    {
      kind: "placeholder",
      text: `  ~ password = (sensitive value)
  + secret_string = (known after apply)`,
    },
    {
      kind: "placeholder",
      text: `Password for user postgres: 
Enter passphrase for key '/home/eli/.ssh/id_ed25519': 
[sudo] password for eli: `,
    },
    { kind: "placeholder", text: `https://user:***@git.example/team/repo.git` },

    // ---- documentation, interface texts, messages
    {
      kind: "docs",
      text: `Passwords must never be stored in plain text. Hash each password with Argon2 and a random salt before saving it.`,
    },
    { kind: "docs", text: `The secret to a good sourdough is patience: the dough needs a night in the fridge.` },
    {
      kind: "docs",
      text: `## Password reset
When the user asks for a reset, a token is sent by mail. The token expires after an hour.`,
    },
    {
      kind: "docs",
      text: `Set the password in the environment, not in the file. The token is read from the keychain.`,
    },
    {
      kind: "docs",
      text: `- password: the password of the database user
- token: an access token with the scope read:org
- passphrase: used to unlock the private key, if it has one`,
    },
    {
      kind: "docs",
      text: `| Option | Type | Default | Description |
|---|---|---|---|
| password | string | none | Password of the user |
| token | string | none | Access token |`,
    },
    {
      kind: "docs",
      text: `@param password the password to check
@param token {string} the session token
@returns true when the password matches`,
    },
    {
      kind: "docs",
      text: `Usage: mysql [OPTIONS] [database]
  -p, --password[=name]  Password to use when connecting to server.
  -P, --port=#           Port number to use for connection.`,
    },
    {
      kind: "docs",
      text: `  -p, --password <password>  Password to use
  -t, --token <token>        API token
      --passphrase-file FILE read the passphrase from FILE`,
    },
    { kind: "docs", text: `usage: tool login [-h] [--user USER] [--password PASSWORD] [--token TOKEN]` },
    { kind: "docs", text: `WARNING! Using --password via the CLI is insecure. Use --password-stdin.` },
    { kind: "docs", text: `mysql: [Warning] Using a password on the command line interface can be insecure.` },
    { kind: "docs", text: `TODO: rotate the password before the release; the token should be moved to the vault.` },
    { kind: "docs", text: `The lexer turns the input into tokens; each token is passed to the parser.` },
    {
      kind: "ui",
      text: `"forgotPassword": "Forgot your password?",
"passwordTooShort": "Password must be at least 12 characters",
"confirmPassword": "Confirm password"`,
    },
    {
      kind: "ui",
      text: `login.password=Passwort
login.forgot=Passwort vergessen?
login.wrong=Benutzername oder Passwort ist falsch.`,
    },
    {
      kind: "ui",
      text: `"password": "Mot de passe",
"password_hint": "Au moins douze caractères",
"forgot": "Mot de passe oublié ?"`,
    },
    {
      kind: "ui",
      text: `msgid "Password"
msgstr "Contraseña"

msgid "Enter your password"
msgstr "Introduzca su contraseña"`,
    },
    {
      kind: "ui",
      text: `password: 密码
confirm_password: 确认密码
forgot_password: 忘记密码？`,
    },
    {
      kind: "ui",
      text: `<string name="password_label">Password</string>
<string name="password_error">This password is incorrect</string>`,
    },
    {
      kind: "ui",
      text: `en:
  activerecord:
    attributes:
      user:
        password: Password
        password_confirmation: Password confirmation`,
    },
    {
      kind: "error",
      text: `FATAL:  password authentication failed for user "orders"
DETAIL:  Role "orders" does not exist.`,
    },
    { kind: "error", text: `ERROR 1045 (28000): Access denied for user 'app'@'localhost' (using password: YES)` },
    { kind: "error", text: `Access denied for user 'root'@'172.17.0.1' (using password: NO)` },
    {
      kind: "error",
      text: `remote: Invalid username or password.
fatal: Authentication failed for 'https://git.example/team/repo.git/'`,
    },
    { kind: "error", text: `fatal: could not read Password for 'https://ci@git.example': terminal prompts disabled` },
    {
      kind: "error",
      text: `SyntaxError: Unexpected token '}', "}" is not valid JSON
    at JSON.parse (<anonymous>)`,
    },
    {
      kind: "error",
      text: `NOAUTH Authentication required.
ERR AUTH <password> called without any password configured for the default user.`,
    },
    {
      kind: "error",
      text: `Error: secret "db-creds" not found
Error: password cannot be empty`,
    },
    {
      kind: "error",
      text: `sshd[811]: Failed password for invalid user admin from 203.0.113.8 port 51234 ssh2
sshd[811]: Accepted password for eli from 10.0.0.4 port 40022 ssh2`,
    },
    {
      kind: "error",
      text: `passwd: password updated successfully
chage: Password expires : never`,
    },

    // ---- counts and other meanings of the words
    {
      kind: "count",
      text: `{"model":"small","max_tokens":4096,"usage":{"input_tokens":12,"output_tokens":348,"cache_read_input_tokens":20113}}`,
    },
    {
      kind: "count",
      text: `Total tokens: 18234 (prompt 17110, completion 1124)
tokens/s: 42.7`,
    },
    {
      kind: "count",
      text: `tests 48
pass 47
fail 1
skipped 0
duration_ms 812.4`,
    },
    {
      kind: "count",
      text: `{"name":"auth","pass": true, "tests": 12, "passes": 12, "failures": 0}
pass: 12, fail: 0`,
    },
    {
      kind: "count",
      text: `first pass: 120 ms, second pass: 80 ms
# pass 210`,
    },
    {
      kind: "word",
      text: `pass the butter: two of us are waiting
def todo():
    pass`,
    },
    {
      kind: "word",
      text: `Author: Pascal Passmann <pascal@example.com>
Reviewed-by: Tokenov, Ivan`,
    },
    {
      kind: "word",
      text: `primary key: order_id
cache key: user-list-v2
sort key: created_at
keyboard: German (no dead keys)`,
    },
    {
      kind: "word",
      text: `<li key={item.id} tabIndex={0}>{item.label}</li>
key: "ArrowDown", code: "ArrowDown"`,
    },
    {
      kind: "word",
      text: `restore-keys: |
  node-modules-
key: node-modules-\${{ hashFiles('package-lock.json') }}`,
    },
    {
      kind: "word",
      text: `keybindings:
  - key: ctrl+shift+p
    command: workbench.action.showCommands`,
    },
    {
      kind: "word",
      text: `#define GPIO_PIN 13
led_pin = 25
pin: 4, mode: output`,
    },
    {
      kind: "word",
      text: `location /api { proxy_pass http://backend:8080; }
location ~ \\.php$ { fastcgi_pass unix:/run/php/php-fpm.sock; }`,
    },
    { kind: "word", text: `The mountain pass is closed from November to May. Show your boarding pass at gate B12.` },

    // ---- names, paths and references
    {
      kind: "names",
      text: `$ gh secret list
NAME            UPDATED
DB_PASSWORD     about 2 months ago
NPM_TOKEN       about 5 days ago`,
    },
    {
      kind: "names",
      text: `$ kubectl get secrets
NAME            TYPE                DATA   AGE
db-creds        Opaque              2      41d
web-tls         kubernetes.io/tls   2      90d`,
    },
    { kind: "names", text: `Required variables: DB_PASSWORD, SMTP_PASSWORD, JWT_SECRET, GITHUB_TOKEN` },
    {
      kind: "names",
      text: `- name: DB_PASSWORD
  valueFrom:
    secretKeyRef:
      name: db-creds
      key: password`,
    },
    {
      kind: "names",
      text: `arn:aws:secretsmanager:eu-west-1:210987654321:secret:prod/db-password-a1B2c3
arn:aws:iam::210987654321:role/token-rotator`,
    },
    {
      kind: "names",
      text: `src/components/PasswordInput.tsx
src/lib/password-strength.ts
docs/secrets/README.md
/etc/passwd`,
    },
    {
      kind: "names",
      text: `root:x:0:0:root:/root:/bin/bash
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin`,
    },
    {
      kind: "names",
      text: `import { usePassword } from '@/hooks/usePassword';
import secrets from "./secrets.js";
from token_store import TokenStore`,
    },
    {
      kind: "names",
      text: `secrets:
  db_password:
    file: ./secrets/db_password.txt
services:
  db:
    environment:
      POSTGRES_PASSWORD_FILE: /run/secrets/db_password`,
    },
    {
      kind: "names",
      text: `tls:
  secretName: web-tls
imagePullSecrets:
  - name: regcred`,
    },
    {
      kind: "names",
      text: `sessionCookieName: "sid"
cookie_name = "csrftoken"
tokenHeader: X-CSRF-Token`,
    },
    {
      kind: "names",
      text: `token_endpoint: https://id.example/oauth/token
"password_reset_url": "https://id.example/reset"
secretsPath: /var/run/secrets`,
    },
    {
      kind: "names",
      text: `--password-file /run/secrets/pg --token-file=/var/run/token
openssl rsa -passin file:pass.txt
openssl rsa -passin env:KEY_PASS`,
    },
    {
      kind: "names",
      text: `https://git.example/team/repo/blob/main/docs/password.md?plain=1#L20
ssh://git@git.example:2222/team/repo.git
postgres://app@localhost/app`,
    },

    // ---- hashes, identifiers, public material
    {
      kind: "hash",
      text: `commit 3f9a1c7e5b2d8046a1e9c3f7b5d2084c6e1a9f37
Author: Eli <eli@example.com>

    Move password check to its own module`,
    },
    {
      kind: "hash",
      text: `e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty.txt
d41d8cd98f00b204e9800998ecf8427e  empty.txt`,
    },
    {
      kind: "hash",
      text: `    "node_modules/left": {
      "version": "1.3.0",
      "resolved": "https://registry.npmjs.org/left/-/left-1.3.0.tgz",
      "integrity": "sha512-vQ1x8mWc0R7yLk3ZpT5nB9dHs2GfJaUe4oKiXtMwNbVrCqEyDzSlPgOhFu6IjA8T1RkYvWm0QxZcLnBp7UdHgw=="
    }`,
    },
    {
      kind: "hash",
      text: `name = "serde"
version = "1.0.203"
checksum = "7253ab4de971e72fb7be983802300c30b5a7f0c2e56fab8abfc6a214307c0094"`,
    },
    {
      kind: "hash",
      text: `{"id":"6f1e2d3c-4b5a-4987-8c6d-5e4f3a2b1c0d","request_id":"01J9ZK3V7X5Q2M8R4T6W0Y1B3C","trace":"4bf92f3577b34da6a3ce929d0e0e4736"}`,
    },
    {
      kind: "hash",
      text: `FROM node:24@sha256:9bcb0e5d1c7f4a2e8d6b3c0f5a7e1d9b4c8f2a6e0d3b7c1f5a9e4d8b2c6f0a3e
go.sum: h1:Zk5xq0m3cV7bN9pL2wR4tY6uI8oP1aS3dF5gH7jK9lQ=`,
    },
    {
      kind: "public",
      text: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3v8kQm2xW5zLr7nTy4bHc9sUd1fGe6aKp0oXiVwMqR eli@laptop`,
    },
    {
      kind: "public",
      text: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEx9Qm3vK7tLp2zWr8yNc5bHs1uGdf
JaEe4oKi6XtVwMqRnBpDzSlPgOhFuIjATkYvWm0QxZcLy7UdHg3r2w==
-----END PUBLIC KEY-----`,
    },
    {
      kind: "public",
      text: `-----BEGIN CERTIFICATE-----
MIIBszCCAVmgAwIBAgIUQ2x8vKm5tLr7zWp3yNc9bHs1uGdwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHdGVzdC1jYTAeFw0yNTAxMDEwMDAwMDBaFw0yNjAxMDEwMDAw
-----END CERTIFICATE-----`,
    },
    {
      kind: "public",
      text: `<img alt="dot" src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">`,
    },
    {
      kind: "public",
      text: `SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDk3r6v5m1qzLw7oPk eli@laptop (ED25519)
The key's randomart image is:`,
    },
    {
      kind: "public",
      text: `[Peer]
PublicKey = hT7vQx2mKz9LrWp4yNc8bHs1uGdf5JaEe3oKi6XtVwM=
AllowedIPs = 10.66.0.0/24`,
    },
    { kind: "chat", text: `Please add a password field to the login form and validate it on the server.` },
    { kind: "chat", text: `The password is wrong, so the test fails; I'll look at how the token is parsed.` },
    { kind: "chat", text: `I forgot the password. Is there a way to reset it without the old one?` },
    { kind: "chat", text: `Das Passwort ist abgelaufen, bitte ein neues setzen. Die PIN kommt per Post.` },
    { kind: "chat", text: `le mot de passe est obligatoire ; la contraseña es obligatoria` },
    {
      kind: "chat",
      text: `I replaced the hard-coded password with a lookup: password comes from the vault, token from the env.`,
    },
  ],
};
