let e=require("node:fs"),t=require("node:path"),n=require("node:os");function r(e){return typeof e==`object`&&e&&!Array.isArray(e)?e:void 0}function i(e){return Array.isArray(e)?e:[]}function a(e){return typeof e==`string`?e:void 0}function o(e){return typeof e==`string`&&e!==``&&e.length<=256?e:void 0}function s(e){return typeof e==`number`&&Number.isSafeInteger(Math.round(e))?Math.round(e):void 0}function c(e,t){return t===void 0?{}:{[e]:t}}function l(e){return e.map(e=>{let t=r(e);return t===void 0?typeof e==`string`?e:JSON.stringify(e):a(t.text)??`[${a(t.type)??`block`}]`}).join(`
`)}function u(e,t){let n=f(e),r=f(t),i=Math.min(n.length,r.length),a=0;for(;a<i&&n[a]===r[a];)a+=1;let o=0;for(;o<i-a&&n.at(-1-o)===r.at(-1-o);)o+=1;return{added:r.length-a-o,removed:n.length-a-o}}function d(e){return f(e).length}function f(e){return e===``?[]:(e.endsWith(`
`)?e.slice(0,-1):e).split(`
`)}function ee(e,t){if(t==null)return;if(typeof t==`string`)return t;if(Array.isArray(t))return l(t);let n=r(t);return n===void 0?JSON.stringify(t):te(e,n)??JSON.stringify(ie(n))}function te(e,t){switch(e){case`Bash`:return de(t.stdout,t.stderr);case`Read`:return ne(r(t.file));case`Edit`:case`MultiEdit`:case`Write`:return ce(t)??(t.type===`create`?`created`:void 0);case`Grep`:case`Glob`:return a(t.content)??de(...i(t.filenames));case`Agent`:case`Task`:return Array.isArray(t.content)?l(t.content):void 0;default:return}}function ne(e){if(e!==void 0)return typeof e.base64==`string`?`[${a(e.type)??`binary`}]`:a(e.content)??(e.cells===void 0?void 0:JSON.stringify(e.cells))}const re=/* @__PURE__ */ new Set([`originalFile`,`original_file`,`updated_file`,`base64`]);function ie(e){return Object.fromEntries(Object.entries(e).filter(([e])=>!re.has(e)))}const ae={Read:{field:`file_path`,kind:`read`},Edit:{field:`file_path`,kind:`edit`},MultiEdit:{field:`file_path`,kind:`edit`},Write:{field:`file_path`,kind:`edit`},NotebookEdit:{field:`notebook_path`,kind:`edit`}};function oe(e,t,n){let i=Object.hasOwn(ae,e)?ae[e]:void 0,o=i&&a(r(t)?.[i.field]);if(i===void 0||o===void 0||o===``)return[];if(i.kind===`read`)return[{path:o,kind:`read`}];let s=r(n);if(s?.type===`create`)return[{path:o,kind:`create`,added:d(a(s.content)??``),removed:0}];let c=s===void 0?[]:le(s);if(c.length===0)return[{path:o,kind:i.kind,...se(r(t))}];let l=e=>c.filter(t=>t.startsWith(e)).length;return[{path:o,kind:i.kind,added:l(`+`),removed:l(`-`)}]}function se(e){let t=a(e?.old_string),n=a(e?.new_string);return t===void 0||n===void 0?{}:u(t,n)}function ce(e){let t=i(e.structuredPatch).map(r).filter(e=>e!==void 0);if(t.length!==0)return t.map(e=>[`@@ -${e.oldStart} +${e.newStart} @@`,...ue(e)].join(`
`)).join(`
`)}function le(e){return i(e.structuredPatch).flatMap(e=>ue(r(e)))}function ue(e){return i(e?.lines).filter(e=>typeof e==`string`)}function de(...e){return e.filter(e=>typeof e==`string`&&e!==``).join(`
`)}const fe={context:`SessionStart`,new:`UserPromptSubmit`,save:`PostToolUse`,summary:`Stop`,cleanup:`SessionEnd`},pe={context:[`SessionStart`],new:[`UserPromptSubmit`],save:[`PostToolUse`,`PostToolUseFailure`],summary:[`Stop`,`SubagentStop`,`PreCompact`],cleanup:[`SessionEnd`]};function me(e){let t=r(e.payload)??{},n=a(t.hook_event_name)??fe[e.command]??``;if(!pe[e.command]?.includes(n))return;let i=o(t.session_id)??o(e.env.CLAUDE_CODE_SESSION_ID),s=i===void 0?void 0:he(n,t);if(i!==void 0&&s!==void 0)return{agent:`claude-code`,sessionId:i,...c(`agentId`,o(t.agent_id)),...c(`agentType`,a(t.agent_type)),cwd:a(t.cwd)||e.cwd(),...c(`transcriptPath`,a(t.transcript_path)),at:e.at,activity:s}}function he(e,t){let n=c(`promptId`,o(t.prompt_id));switch(e){case`SessionStart`:return{kind:`session-start`,source:a(t.source)??`startup`,...c(`model`,a(t.model))};case`UserPromptSubmit`:{let e=a(t.prompt);return e===void 0||e.trim()===``?void 0:ve(e)?{kind:`machine-prompt`}:{kind:`prompt`,...n,text:e}}case`PostToolUse`:case`PostToolUseFailure`:return ge(t,e===`PostToolUseFailure`);case`Stop`:return{kind:`turn-end`,...n,...c(`response`,a(t.last_assistant_message))};case`SubagentStop`:return t.agent_type?{kind:`turn-end`,...n,...c(`response`,a(t.last_assistant_message))}:void 0;case`PreCompact`:return{kind:`checkpoint`,...n};case`SessionEnd`:return{kind:`session-end`,reason:a(t.reason)??`other`};default:return}}function ge(e,t){let n=o(e.tool_name);if(n===void 0)return;let r=t?a(e.error):ee(n,e.tool_response);return{kind:`tool-use`,...c(`toolUseId`,o(e.tool_use_id)),...c(`promptId`,o(e.prompt_id)),name:n,input:e.tool_input??{},...c(`output`,r),isError:t,...c(`exitCode`,n===`Bash`?_e(r,t):void 0),...c(`durationMs`,s(e.duration_ms)),files:t?[]:oe(n,e.tool_input,e.tool_response)}}function _e(e,t){if(!t)return 0;let n=/^Exit code (\d{1,3})\b/.exec(e??``)?.[1];return n===void 0?void 0:Number(n)}function ve(e){return/^\s*<(?:task-notification|teammate-message|local-command-stdout|bash-input|bash-stdout)\b/.test(e)}const p=/<(\/?)(private|c-mem-context|claude-mem-context|system-reminder)(?![\w.:-])/gi;function ye(e){return xe(e).kept}function be(e){let{kept:t,sawPrivate:n}=xe(e);return n&&t.trim()===``}function xe(e){if(!e.includes(`<`))return{kept:e,sawPrivate:!1};let t=[],n=/* @__PURE__ */ new Map,r=!1,i=0,a=0;p.lastIndex=0;for(let o=p.exec(e);o!==null;o=p.exec(e)){let[,s,c=``]=o,l=c.toLowerCase(),u=Se(e,p.lastIndex),d=n.size>0;d||t.push(e.slice(a,o.index)),a=u,p.lastIndex=u,s===`/`?Ce(n,l):e.endsWith(`/>`,u)||(n.set(l,(n.get(l)??0)+1),r||=l===`private`),d&&n.size===0&&++i===100&&(a=p.lastIndex=e.length)}return t.length===0?{kept:e,sawPrivate:r}:(n.size===0&&t.push(e.slice(a)),{kept:we(t.join(``)),sawPrivate:r})}function Se(e,t){let n=/>|=\s*["']/g;n.lastIndex=t;for(let t=n.exec(e);t!==null;t=n.exec(e)){if(t[0]===`>`)return n.lastIndex;let r=e.indexOf(t[0].slice(-1),n.lastIndex);if(r<0)break;n.lastIndex=r+1}return e.length}function Ce(e,t){let n=e.get(t)??0;n>1?e.set(t,n-1):e.delete(t)}function we(e){let t=e.search(p);return t<0?e:e.slice(0,t)}const m=`passw(?:or)?d|passphrase|passcode|pwd|[_-]pass|secret|secret[_-]?key[_-]?base|(?:api|access|account|auth|encryption|master|private|secret|shared|signing|storage)[_ -]?key`,Te=`token|auth|authorization|credentials?`,Ee=`${m}|${Te}|_key|pass`,De=RegExp(`(?:${m})[_-]?\\d{0,2}$|\\wpass$`,`i`),Oe=RegExp(`(?:${m}|${Te}|(?:^|[_-])pass|cookie)[_-]?\\d{0,2}$`,`i`),ke=/(?:^|\.)(?:OLD)?PWD$|(?:[Bb]y|[Cc]om|[Ss]ur)pass$|(?:bos|eos|pad|unk|sep|cls|mask|stop|next|page|prev)_?[Tt]oken$/,Ae=/* @__PURE__ */ RegExp(`^(?:null|none|nil|undefined|true|false|yes|no|on|off|any|unknown|object|required|optional|string|str|text|number|int|integer|bool|boolean|bytes?|password|passwd|pwd|secret|token|auth|api[-_]?key|n/a|\\w*array|[~^<>=]*v?\\d+(?:\\.\\d+)+|0x[0-9a-f]{1,8}|#[0-9a-f]{3,8}|(?:u?int|float|bytes|varchar|char|[uif]|utf-?|base|sha-?|md|hs|rs|es|oauth|ed|uuidv?)\\d{1,5}|(?:your|my|enter|insert|replace|example|placeholder|redacted|masked|hidden|change)(?:[-_ ].*|me|it|here|(?:api|access|password|secret|token|key).*)?)[!?;.]*$`,`i`),je=/\b(?:passwords?|must|enter|please|required|invalid|your|is|are|the|should|cannot|incorrect|wrong)\b/i,Me=/\s|^[a-z_.]+$|^[A-Z_]+$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/;function Ne(e){return(Oe.test(e)||/[a-z]Pass$/.test(e))&&!ke.test(e)}function h(e){return Pe(e)||Ae.test(e)||Fe(e)||/\s/.test(e)&&je.test(e)}function Pe(e){return/^(.)\1*$|\*{3}|x{4}|\.{3}|…|•|\$\{|\{\{|#\{|<%|%[sd]\b/i.test(e)||/^(?:\$\(?[A-Za-z_]\w*|%\w+%?|%\(\w+\)s|<.*|\{.*\}|\[.*\]|\(.*\)|:[a-z_]\w*)$/i.test(e)||e.startsWith(`$(`)}function Fe(e){return/^(?:[a-z][a-z0-9+.-]*:\/\/|arn:)/i.test(e)?!0:!/^(?:(?:~|\.{1,2})?\/|[a-z]:\\|(?:[a-z][a-z0-9_.-]*\/){2})/i.test(e)||/[+=]/.test(e)?!1:!e.split(`/`).some(Le)}function Ie(e,t,n=!1){let r=e.input[e.index+e[0].length]??``;return n&&(/^[!*#@]/.test(t)||r===`(`||r===`[`)||/^[A-Za-z_$][\w$.]*[([]/.test(t)&&(/[([]$/.test(t)||/^[)\]"'`,]/.test(r))||/^\w*(?:passw(?:or)?d|pwd|secret|token|key|auth)\d?$/i.test(t)?!0:/^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+;?$/.test(t)&&!t.split(`.`).some(Le)}function g(e){return/[A-Za-z]/.test(e)&&/\d/.test(e)}function _(e){return/^(?=.*[A-Za-z].*[A-Za-z])(?=.*\d.*\d)[\w+/=.~%:-]{16,}$/.test(e)}function Le(e){return _(e)&&/\d\D+\d\D+\d/.test(e)}const Re=`h7Kq2Vw9Xb4Nc8Zt3Ry6Mf5Lp1Gj0DsaT7uEoQiUyB2nWxC4vZkHd9JrSmPgFl3A8tYbKeXq5RwN6cV`,v=`MII${Re.slice(0,61)}`,y=e=>Re.slice(0,e),b=e=>`3f9a1c7be04d5826a1f0c39b7e5d8402bc6a91fe37d05c84e2b9a6710fd3c58b`.slice(0,e),ze=String.raw`(?:\d{1,6}[→:|\t]|\s|\\{1,4}[nr]|["',>|])`,x=`[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`,Be=[{name:`private-key`,hints:[`-----BEGIN `],pattern:C(()=>new RegExp(String.raw`-----BEGIN ${x}(?=[^]{0,160}?(?:[A-Za-z0-9+/]{20}|-----END )|[\w+/=\s\\]{0,160}$)(?:[^]*?-----END ${x}|[^]*)`,`g`)),sample:`-----BEGIN RSA PRIVATE KEY-----\n${v}\n${v}\n-----END RSA PRIVATE KEY-----`},{name:`private-key`,hints:[`-----END `],pattern:C(()=>new RegExp(String.raw`-----END ${x}(?<=(?<lead>(?:(?<!\\)[A-Za-z0-9+/=]{20,}${ze}+)*`+String.raw`(?<!\\)[A-Za-z0-9+/=]{0,100}${ze}*)-----END ${x})`,`g`)),sample:`${v}\n${v}\n-----END OPENSSH PRIVATE KEY-----`,accept:e=>/\S{16}/.test(e.groups?.lead??``)},{name:`putty-key`,hints:[`Private-Lines:`],pattern:()=>/Private-Lines: \d{1,5}(?:\s|\\[nr])+((?:[A-Za-z0-9+/=]{20,}(?:\s|\\[nr]){1,2})+(?:[A-Za-z0-9+/=]{1,64}(?![\w+/=:-]))?)/g,sample:`Private-Lines: 2\n${v}\n`},S(`age-key`,[`AGE-SECRET-KEY-1`],()=>/AGE-SECRET-KEY-1[A-Z0-9]{20,}/g,`AGE-SECRET-KEY-1${b(58).toUpperCase()}`),S(`aws-key-id`,[`AKIA`,`ASIA`],()=>/A[KS]IA[A-Z0-9]{16}/g,`AKIA${b(16).toUpperCase()}`),S(`aws-secret-key`,[`ecret`,`ECRET`],()=>/secret[_ -]?access[_ -]?key(?: \[[^\]\n]{0,40}\])?["'\\]{0,5}\s{0,4}[=:]{1,2}>?\s{0,4}["'\\]{0,5}([\w/+=]{40,})/gi,`aws_secret_access_key = ${y(38)}/+`),S(`gcp-api-key`,[`AIza`],()=>/AIza[\w-]{35,}/g,`AIza${y(35)}`),S(`google-oauth`,[`ya29.`,`GOCSPX-`,`1//0`],()=>/(?:ya29\.|GOCSPX-|1\/\/0)[\w-]{20,}/g,`ya29.${y(40)}`),S(`azure-key`,[`AccountKey=`,`SharedAccessKey=`],()=>/(?:AccountKey|SharedAccessKey)=([\w+/=-]{20,})/g,`AccountName=x;AccountKey=${y(80)}==`),S(`azure-signature`,[`sig=`],()=>/[?&;]sig=([\w%+/=-]{20,})/g,`?sv=2024-01-01&sig=${y(43)}%3D`),S(`azure-client-secret`,[`Q~`],()=>/[\w~.]{3}\dQ~[\w~.-]{31,}/g,`abc8Q~${y(34)}`),S(`digitalocean`,[`_v1_`],()=>/do[opr]_v1_[0-9a-f]{40,}/g,`dop_v1_${b(64)}`),S(`heroku`,[`HRKU-`],()=>/HRKU-[\w-]{30,}/g,`HRKU-AA${y(58)}`),S(`heroku`,[`eroku`,`EROKU`],()=>/heroku[^\n]{0,40}?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi,`HEROKU_KEY=${b(8)}-1111-4222-8333-${b(12)}`),S(`fly`,[`fo1_`,`fm1`,`fm2_`],()=>/(?:fo1_|fm1[ar]?_|fm2_)[\w+/=,-]{20,}/g,`FlyV1 fm2_${y(60)}`),S(`vault`,[`hvs.`,`hvb.`],()=>/hv[sb]\.[\w-]{20,}/g,`hvs.${y(24)}`),S(`terraform`,[`.atlasv1.`],()=>/\.atlasv1\.(?<=(?<lead>[A-Za-z0-9]{14})\.atlasv1\.)[\w-]{40,}/g,`${y(14)}.atlasv1.${y(67)}`),S(`doppler`,[`dp.`],()=>/dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/g,`dp.pt.${y(43)}`),S(`databricks`,[`dapi`],()=>/dapi[0-9a-f]{32}(?:-\d)?/g,`dapi${b(32)}`),S(`github`,[`ghp_`,`gho_`,`ghu_`,`ghs_`,`ghr_`],()=>/gh[pousr]_[A-Za-z0-9]{36,}/g,`ghp_${y(36)}`),S(`github`,[`github_pat_`],()=>/github_pat_\w{22,}/g,`github_pat_${y(22)}_${y(59)}`),S(`gitlab`,[`glpat-`,`gldt-`,`glrt-`,`glcbt-`,`glptt-`,`glft-`,`glsoat-`],()=>/gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w.-]{20,}/g,`glpat-${y(20)}`),S(`atlassian`,[`ATBB`,`ATATT3`,`ATCTT3`],()=>/(?:ATBB|ATATT3|ATCTT3)[\w=-]{24,}/g,`ATBB${y(32)}`),S(`npm`,[`npm_`],()=>/npm_[A-Za-z0-9]{36,}/g,`npm_${y(36)}`),{name:`npm`,hints:[`_auth`],pattern:()=>/(?<!\w)_auth(?:Token)?["'\\]{0,4}[ \t]*[=:][ \t]*["'\\]{0,4}([^\s"'\\,;]{8,})/g,sample:`//npm.example.com/:_authToken=${b(32)}`,accept:(e,t)=>!h(t)},S(`pypi`,[`pypi-`],()=>/pypi-[\w-]{32,}/g,`pypi-AgEIcHlwaS5vcmc${y(70)}`),S(`rubygems`,[`rubygems_`],()=>/rubygems_[0-9a-f]{40,}/g,`rubygems_${b(48)}`),S(`docker`,[`dckr_`],()=>/dckr_(?:pat|oat)_[\w-]{20,}/g,`dckr_pat_${y(27)}`),S(`anthropic`,[`sk-`],()=>/sk-ant-[\w-]{20,}/g,`sk-ant-api03-${y(80)}`),{name:`openai`,hints:[`sk-`],pattern:()=>/sk-[\w-]{20,}/g,sample:`sk-proj-${y(48)}`,accept:(e,t)=>/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)|[a-z0-9]{32}/.test(t)},S(`groq`,[`gsk_`],()=>/gsk_[A-Za-z0-9]{40,}/g,`gsk_${y(52)}`),S(`perplexity`,[`pplx-`],()=>/pplx-[A-Za-z0-9]{40,}/g,`pplx-${y(48)}`),S(`xai`,[`xai-`],()=>/xai-[A-Za-z0-9]{40,}/g,`xai-${y(80)}`),S(`replicate`,[`r8_`],()=>/r8_[A-Za-z0-9]{30,}/g,`r8_${y(37)}`),S(`huggingface`,[`hf_`,`api_org_`],()=>/(?:hf_|api_org_)[A-Za-z0-9]{30,}/g,`hf_${y(34)}`),S(`slack`,[`xox`],()=>/xox[a-z](?:\.xox[a-z])?-[\w-]{10,}/g,`xoxb-123456789012-${y(24)}`),S(`slack`,[`xapp-`],()=>/xapp-\d-[\w-]{20,}/g,`xapp-1-A0123456789-1234567890123-${b(64)}`),S(`slack-webhook`,[`hooks.slack`],()=>/hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/+-]{20,})/g,`https://hooks.slack.com/services/T01234567/B01234567/${y(24)}`),S(`discord-webhook`,[`/api/webhooks/`],()=>/\/api\/webhooks\/(\d{10,20}\/[\w-]{30,})/g,`https://discord.com/api/webhooks/123456789012345678/${y(68)}`),{name:`discord`,pattern:()=>/\.(?<=(?<lead>[MNO][\w-]{23,27})\.)[\w-]{6}\.[\w-]{27,}/g,sample:`MT${y(24)}.G${y(5)}.${y(38)}`},S(`telegram`,[`:AA`],()=>/\d{6,12}:AA[\w-]{32,}/g,`123456789:AA${y(33)}`),S(`stripe`,[`k_live_`,`k_test_`],()=>/[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g,`sk_live_${y(24)}`),S(`stripe-webhook`,[`whsec_`],()=>/whsec_[\w+/=-]{24,}/g,`whsec_${y(32)}`),S(`twilio`,[`SK`],()=>/SK[0-9a-f]{32}/g,`SK${b(32)}`),S(`sendgrid`,[`SG.`],()=>/SG\.[\w-]{16,32}\.[\w-]{32,}/g,`SG.${y(22)}.${y(43)}`),S(`mailgun`,[`key-`],()=>/key-[0-9a-f]{32}/g,`key-${b(32)}`),S(`shopify`,[`shp`],()=>/shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/g,`shpat_${b(32)}`),S(`linear`,[`lin_`],()=>/lin_(?:api|oauth)_[A-Za-z0-9]{30,}/g,`lin_api_${y(40)}`),S(`notion`,[`ntn_`,`secret_`],()=>/(?:ntn|secret)_[A-Za-z0-9]{40,}/g,`ntn_${y(46)}`),S(`api-key`,[`sntry`,`glsa_`,`NRAK-`,`PMAK-`,`figd_`,`sbp_`,`pscale_`,`tskey-`,`nfp_`,`nvapi-`,`lsv2_`,`tvly-`],()=>/(?:sntry[su]_|glsa_|NRAK-|PMAK-|figd_|sbp_|pscale_|tskey-|nfp_|nvapi-|lsv2_|tvly-)[\w+/=-]{24,}/g,`glsa_${y(32)}_${b(8)}`),S(`jwt`,[`.eyJ`],()=>/\.eyJ(?<=(?<lead>eyJ[\w-]{8,})\.eyJ)[\w-]{8,}(?:\.[\w-]*)?/g,`eyJ${y(30)}.eyJ${y(60)}.${y(43)}`),{name:`bearer`,hints:[`earer`,`EARER`],pattern:()=>/earer["'`:]{0,2}[ \t]+["'`]?([\w.~+/=-]{8,})/gi,sample:`curl -H 'Authorization: Bearer ${y(40)}'`,accept:(e,t)=>g(t)&&!h(t)},{name:`cookie`,hints:[`ookie`,`OOKIE`],pattern:()=>/cookie["'\\]{0,4}[ \t]{0,4}[:=\t ][ \t]{0,4}["'\\]{0,4}([^\s=;"'\\]{1,80}=[^\r\n"'\\]{4,})/gi,sample:`Set-Cookie: sid=${y(32)}; Path=/; HttpOnly`,accept:(e,t)=>/=[^;\s=]*\d[^;\s]{7}|=[^;\s=]{7,}\d/.test(t)},{name:`url-password`,hints:[`://`],pattern:()=>/:\/\/[^\s/?#:@"'`<>\\]{0,200}:([^\s/"'`<>\\]{1,200})(?=@[\w.[-])/g,sample:`postgres://app:s3cr3t-Passw0rd@db.example.com:5432/app`,accept:(e,t)=>!Pe(t)&&!/^\d{1,5}[?#]/.test(t)},{name:`curl-user`,hints:[`curl`],pattern:()=>/curl\b[^\n]{0,300}?[ \t](?:-u|--user)[ \t=]*["']?[^\s:"']{1,80}:([^\s"']{3,200})/g,sample:`curl -sS -u admin:s3cr3t-Passw0rd https://example.com`,accept:(e,t)=>!h(t)},{name:`credential`,hints:[`</`],pattern:C(()=>new RegExp(String.raw`<[\w:.-]{0,40}(?:${Ee})(?:[ \t][^<>]{0,100})?>([^<>\s]{3,300})(?=<\/)`,`gi`)),sample:`<password>s3cr3t-Passw0rd</password>`,accept:(e,t)=>g(t)&&!h(t)},{name:`credential`,worded:!0,pattern:C(We),sample:`mysql --password s3cr3t-Passw0rd app`,accept:Ge,nests:!0},{name:`credential`,worded:!0,pattern:C(Ve),sample:`DB_PASSWORD=s3cr3t-Passw0rd`,accept:He,nests:!0}];function S(e,t,n,r){return{name:e,hints:t,pattern:n,sample:r}}function C(e){let t;return()=>t??=e()}function Ve(){let e=String.raw`\\{0,7}["'\x60*\])]{0,3}`,t=String.raw`(?:,?\s{0,40}["'\\]{0,4}value["'\\]{0,4})?`,n=String.raw`:[ \t]?[\w&<>|.\[\]]{1,30}[ \t]{0,8}=`,r=String.raw`([\w$.-]{0,60}(?:${Ee})[_-]?\d{0,2})${e}${t}(?:${n}|[ \t]{0,8}[!+?|]{0,2}[=:])`,i=String.raw`(?:(?:bearer|basic|token|digest|bot|apikey)[ \t]+)?`,a=String.raw`(\\{0,7}(?:"""|'''|["'\x60]))${i}(?!\2|[\s),;\]}+])([^\r\n]{0,300}?[^\\\r\n])(?=\2)`,o=String.raw`(?<=[^\s=]=)(?![([{$])((?:[^\s"'\x60\\;&|<>,)]|\\(?![nrt"'\\])){3,300})`,s=String.raw`(?:\\{0,7}["'\x60](?=\w))?${i}((?!:)[^\s"'\x60\\;&|<>,(){}\[\]]{3,300})`;return new RegExp(String.raw`[=:](?<=${r})[=>]{0,2}[ \t]{0,20}\*{0,2}[ \t]?(?:${a}|${o}|${s})`,`gi`)}function He(e,t){let[,n=``,,r,i]=e;return ke.test(n)||h(t)||Ue(e,n)||r===void 0&&Ie(e,t,i===void 0)?!1:_(t)?!0:/authorization$/i.test(n)?t.length>=8&&!Me.test(t):De.test(n)?r===void 0?i!==void 0&&/^[A-Z0-9_]+$/.test(n)?t.length>=4:t.length>=4&&(g(t)||/^\d+$/.test(t)||/^\w.*[@#$%^*~!?+]\w/.test(t)):t.length>=3:t.length>=(/token/i.test(n)?6:8)&&g(t)}function Ue(e,t){return e[0].startsWith(`:`)&&e.input[e.input.lastIndexOf(t,e.index)-1]===`:`}function We(){return new RegExp(String.raw`(${m}|token|credentials?)["'\x60*)\]|]{0,3}[ \t]+`+String.raw`(?:(?:(is|was|are|of|for|to|the|value|set)|[|-]{1,3})[ \t]+){0,3}`+String.raw`(["'\x60*(|]{0,3})([^\s"'\x60\\;&|<>,(){}\[\]]{4,300})`,`gi`)}function Ge(e,t){let[,n=``,r,i=``]=e;return i===``&&!g(t)||h(t)||t.startsWith(`-`)||Ie(e,t)?!1:/(?:^|[\s"'`([,])--[\w-]*$/.test(e.input.slice(Math.max(0,e.index-40),e.index))?i!==``||g(t):_(t)?!0:g(t)&&De.test(n)&&(/["'`]/.test(i)||r!==void 0&&t.length>=6)}function Ke(e){let{marks:t,hints:n,short:r}=qe??=Ye(),i=new Set(r.filter(t=>e.includes(t))),a=0;for(let r=0;r<e.length;r++)if(a=Je(a,e.charCodeAt(r)),t[a]===1)for(let{hint:t,offset:o}of n.get(a)??[])e.startsWith(t,r+1-3-o)&&i.add(t);return i}let qe;function Je(e,t){return(e<<5^t)&32767}function Ye(){let e={marks:/* @__PURE__ */ new Uint8Array(32768),hints:/* @__PURE__ */ new Map,short:[]};for(let t of new Set(Be.flatMap(({hints:e})=>e??[]))){if(t.length<3){e.short.push(t);continue}let n=Xe(t),r=0;for(let e=n;e<n+3;e++)r=Je(r,t.charCodeAt(e));e.marks[r]=1,e.hints.set(r,[...e.hints.get(r)??[],{hint:t,offset:n}])}return e}function Xe(e){let t=t=>e.slice(t,t+3).replace(/[etaoinsrhl ]/g,``).length,n=0;for(let r=1;r+3<=e.length;r++)t(r)>t(n)&&(n=r);return n}const w=/[\uDC00-\uDFFF]?(?:(?<=[\w+=-])[\w+=-]+)?/y,Ze=/\[redacted:[a-z0-9-]{1,40}\]/g,Qe=/pass|pwd|secret|token|key|auth|credential/i;function T(e){let t=et(e);for(let n=1;n<4&&t.length>0;n++){let n=et(D(e,t));if(n.length===0)break;t=O([...t,...at(n,t)])}return t}function $e(e){let t=T(e);return t.length===0?e:D(e,t)}function E(e){return`[redacted:${e}]`}function D(e,t){let n=``,r=0;for(let{start:i,end:a,name:o}of t)n+=e.slice(r,i)+E(o),r=a;return n+e.slice(r)}function et(e){let t=[],n=nt(e);for(let r of Be)n(r)&&rt(r,e,t);if(t.length===0||!e.includes(`[redacted:`))return O(t);let r=[...e.matchAll(Ze)].map(e=>it(e,e[0].slice(10,-1))),i=new Map(r.map(({start:e,end:t})=>[e,t]));return O([...r,...t]).filter(({start:e,end:t})=>i.get(e)!==t)}let tt=0;function nt(e){tt+=1;let t=Qe.test(e);if(tt<=40&&e.length<2e4)return({hints:n,worded:r})=>r?t:n?.some(t=>e.includes(t))??!0;let n=Ke(e);return({hints:e,worded:r})=>r?t:e?.some(e=>n.has(e))??!0}function rt({name:e,pattern:t,accept:n,nests:r},i,a){let o=t();o.lastIndex=0;for(let t=o.exec(i);t!==null;t=o.exec(i)){let s=it(t,e);n===void 0||n(t,i.slice(s.start,s.end))?(w.lastIndex=s.end,w.test(i),s.end=o.lastIndex=w.lastIndex,a.push(s)):r&&(o.lastIndex=s.start)}}function it(e,t){let n=e.index+e[0].length,r=e.groups?.lead;return r===void 0?{start:n-(e.findLast(e=>e!==void 0)??e[0]).length,end:n,name:t}:{start:e.index-r.length,end:n,name:t}}function O(e){let t=[];for(let n of e.toSorted((e,t)=>e.start-t.start)){let e=t.at(-1);e!==void 0&&n.start<e.end?e.end=Math.max(e.end,n.end):t.push({...n})}return t}function at(e,t){let n=0,r=0,i=e=>{for(let i=t[n];i!==void 0;i=t[++n]){let t=i.start-r+E(i.name).length;if(e<t)return Math.min(e+r,i.start);r=i.end-t}return e+r};return e.map(({start:e,end:t,name:n})=>({start:i(e),end:i(t),name:n}))}const ot=/[\u0000-\u001f\u007f-\u009f]+/g,st=/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;function ct(e){return e.replace(st,``)}function k(e,t){return lt(e.slice(0,t*4).replace(ot,` `).replace(/\s+/g,` `).trim(),t)}function lt(e,t){if(e.length<=t)return e;let n=e.slice(0,t-1),r=n.lastIndexOf(` `);return`${(r>t*.6?n.slice(0,r):n).replace(/[\uD800-\uDBFF]$/,``).trimEnd()}…`}function ut(e,t){let n=Math.max(0,Math.round((t-e)/6e4));if(n<1)return`just now`;if(n<60)return`${n} min ago`;let r=Math.round(n/60);if(r<36)return`${r} h ago`;let i=Math.round(r/24);return i<60?`${i} days ago`:`${Math.round(i/30)} months ago`}function dt(e){return String(e).replace(/\B(?=(?:\d{3})+$)/g,`,`)}const ft=8192,A=1e4;function j(e,t=1/0){let n=ye(e),r=Math.max(t,64),i=n.length<=r?$e(n):void 0,a=pt(i!==void 0&&i.length<=r?i:ht(n,r));return a===n?a:ye(a)}function pt(e){let t=e.isWellFormed()?e:e.toWellFormed();return t.includes(`\0`)?t.replaceAll(`\0`,`�`):t}function mt(e,t=1/0){return M(e,{maxChars:t,secret:void 0,depth:0})}function ht(e,t){let n=t-64,r=Math.floor(n/4),i=e.slice(0,n-r+ft),a=T(i),o=St(e,gt(a,Math.min(n-r,i.length))),s=Math.max(0,e.length-r-ft),c=e.slice(s),l=T(c),u=gt(_t(l,c.length),Math.min(r,c.length)),d=yt(l,Ct(e,Math.max(e.length-u,o,bt(e,i,a)))-s),f=s+d-o;return $e(D(i.slice(0,o),vt(a,0,o))+`\n[… ${dt(f)} characters cut by c-mem …]\n`+D(c.slice(d),vt(l,d,c.length)))}function gt(e,t){let n=0;for(let{start:r,end:i,name:a}of e){if(r+Math.max(n,0)>=t)break;let e=n+E(a).length-(i-r);if(i+e>t)return r;if(i>=t)return i;n=e}return t-Math.max(n,0)}function _t(e,t){return e.map(({start:e,end:n,name:r})=>({start:t-n,end:t-e,name:r})).toReversed()}function vt(e,t,n){return e.filter(({start:e,end:r})=>e>=t&&r<=n).map(({start:e,end:n,name:r})=>({start:e-t,end:n-t,name:r}))}function yt(e,t){return e.find(({start:e,end:n})=>e<t&&t<n)?.end??t}function bt(e,t,n){let r=n.at(-1);if(r?.end!==t.length||t.lastIndexOf(`-----BEGIN `)<r.start)return 0;let i=e.indexOf(`-----END `,r.start);return i<0?e.length:i}function xt(e,t){return(e.codePointAt(t-1)??0)>65535}function St(e,t){return xt(e,t)?t-1:t}function Ct(e,t){return xt(e,t)?t+1:t}function M(e,t){let{maxChars:n,secret:r,depth:i}=t;if(typeof e==`string`)return r!==void 0&&e.trim()!==``&&!h(e)?E(r):j(e,n);if(typeof e==`number`)return r!==void 0&&Math.abs(e)>=1e3?E(r):e;if(typeof e!=`object`||!e)return e;if(i>=64)return`[… nested too deep …]`;if(!Array.isArray(e))return wt(e,{...t,depth:i+1});let a=e.slice(0,A).map(e=>M(e,{...t,depth:i+1}));return e.length>A?[...a,Tt(e.length)]:a}function wt(e,{maxChars:t,depth:n}){let r=Object.entries(e),i=r.find(([e,t])=>/^(?:name|key)$/i.test(e)&&typeof t==`string`)?.[1],a=r.slice(0,A).map(([e,r])=>{let a=/^value$/i.test(e)&&typeof i==`string`?i:e,o=Ne(a)?Et(a):void 0;return[j(e,t),M(r,{maxChars:t,depth:n,secret:o})]});return r.length>A&&a.push([`…`,Tt(r.length)]),Object.fromEntries(a)}function Tt(e){return`[… ${dt(e-A)} more cut by c-mem …]`}function Et(e){return e.replace(/([a-z0-9])([A-Z])/g,`$1-$2`).toLowerCase().replace(/[^a-z0-9]+/g,`-`).replace(/^-|-$/g,``).slice(-40)}const Dt=/^(?:mcp__)?(?:plugin_c-mem_memory|c-mem)(?:__|[-_.])\w+$/;function Ot(e,t){return t.includes(e)||Dt.test(e)}function kt(e){let r=(0,t.resolve)(e.C_MEM_HOME||(0,t.join)(e.HOME||(0,n.homedir)(),`.c-mem`));return{home:r,database:(0,t.join)(r,`c-mem.db`),spool:(0,t.join)(r,`spool`),privateTurns:(0,t.join)(r,`private`),config:(0,t.join)(r,`config.json`),logs:(0,t.join)(r,`logs`),hookLog:(0,t.join)(r,`logs`,`hook.log`),workerLog:(0,t.join)(r,`logs`,`worker.log`),worker:(0,t.join)(r,`worker`),workerLock:(0,t.join)(r,`worker`,`lock.json`),workerStart:(0,t.join)(r,`worker`,`start`),workerRequest:(0,t.join)(r,`worker`,`request`),activity:(0,t.join)(r,`activity.json`),plugin:(0,t.join)(r,`plugin`),runtime:(0,t.join)(r,`runtime`),install:(0,t.join)(r,`install.json`),backups:(0,t.join)(r,`backups`),cache:(0,t.join)(r,`cache`),archive:(0,t.join)(r,`archive`),models:(0,t.join)(r,`models`),example:(0,t.join)(r,`example`)}}const At=`.c-mem.json`;function jt(e,t){return Mt(e).test(Nt(t))}function Mt(e){let t=Nt(e).replace(/\/+$/,``).replace(/[.+^${}()|[\]\\]/g,`\\$&`).replace(/\/\*\*$/,``).replace(/\*\*\/|\*\*|\*|\?/g,e=>e===`**/`?`(?:[^/]*/)*`:e===`**`?`.*`:e===`*`?`[^/]*`:`[^/]`);return RegExp(`^${t}(?:/|$)`)}function Nt(e){return e.replaceAll(`\\`,`/`)}function N(t){let n=P(t);if(!(n===void 0||!n.isFile()||n.size>1048576))try{return(0,e.readFileSync)(t,`utf8`)}catch{return}}function Pt(t){try{return(0,e.readdirSync)(t)}catch{return[]}}function P(t){try{return(0,e.statSync)(t,{throwIfNoEntry:!1})}catch{return}}function Ft(e){for(let n=e;;n=(0,t.dirname)(n)){let e=It(n);if(e!==void 0)return e;if((0,t.dirname)(n)===n)return}}function It(e){let n=(0,t.join)(e,`.git`),r=P(n);if(r===void 0)return;if(r.isDirectory())return{top:e,mainTop:e,gitDir:n,commonDir:n};let i=/^gitdir: *(.+)/.exec(N(n)??``)?.[1]?.trim();if(i===void 0)return;let a=(0,t.isAbsolute)(i)?i:(0,t.resolve)(e,i),o=N((0,t.join)(a,`commondir`))?.trim();if(o===void 0)return{top:e,mainTop:e,gitDir:a,commonDir:a};let s=(0,t.isAbsolute)(o)?o:(0,t.resolve)(a,o);return{top:e,mainTop:(0,t.basename)(s)===`.git`?(0,t.dirname)(s):s,gitDir:a,commonDir:s}}function Lt(e){let n=N((0,t.join)(e.gitDir,`HEAD`))?.trim();if(n!==void 0&&n!==``)return/^ref: refs\/heads\/(.+)$/.exec(n)?.[1]??n.slice(0,12)}function Rt(e){let n=N((0,t.join)(e.commonDir,`config`));if(n===void 0)return;let r=/* @__PURE__ */ new Map,i;for(let e of n.split(`
`)){let t=/^\s*\[(.*)\]/.exec(e)?.[1];if(t!==void 0){i=/^remote "(.*)"$/.exec(t)?.[1];continue}let n=/^\s*url\s*=\s*(.+?)\s*$/.exec(e)?.[1];i!==void 0&&n!==void 0&&!r.has(i)&&r.set(i,n)}return r.get(`origin`)??r.values().next().value}function zt(e){let t=/^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(e),n=/^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/]*)(\/.*)?$/i.exec(e),[r,i]=n?[n[1]??``,n[2]??``]:t&&!/^[a-z]$/i.test(t[1]??``)?[t[1]??``,t[2]??``]:[``,e],a=i.replace(/\/+$/,``).replace(/\.git$/,``);return r===``?a:`${r.toLowerCase().replace(/:(22|443|80)$/,``)}/${a.replace(/^\/+/,``)}`}function Bt(e){let t=Kt(e),n=Ft(t);return{cwd:e,folder:t,tree:n,projectFiles:qt(t,n)}}function Vt(e,{values:n,sources:r}){let{folder:i,tree:a}=e,o=a?.mainTop??Jt(e)??i,s=a===void 0?void 0:Rt(a),c=s===void 0?void 0:zt(/^\.{1,2}\//.test(s)?(0,t.resolve)(o,s):s),l=c??o,u={root:o,...c!==void 0&&{remote:c}},d=r.project===`project`?n.project:``,f=r.project===`project`?Yt(e,n.projects):n.project||Yt(e,n.projects);return f===``?d===``?{key:l,name:(0,t.basename)(l)||l,...u}:{key:`${l}#${d}`,name:d,...u}:{key:`name:${f}`,name:f,...u}}function Ht(e){return e.tree===void 0?void 0:Lt(e.tree)}function Ut(e,t){return!t.enabled||t.excludePaths.some(t=>Xt(t,e))}function Wt(e,n){let r=n.tree?.top??Jt(n)??n.folder,i=(0,t.isAbsolute)(e)?Gt(n.cwd,e):e,a=Gt(r,i===void 0?e:(0,t.join)(n.folder,i));return a===void 0?e:t.sep===`/`?a:a.replaceAll(t.sep,`/`)}function Gt(e,n){let r=(0,t.relative)(e,n);return r===``||r.startsWith(`..`)||(0,t.isAbsolute)(r)?void 0:r}function Kt(t){try{return e.realpathSync.native(t)}catch{return t}}function qt(e,r){let i=(0,n.homedir)(),a=[];for(let n=e;a.push((0,t.join)(n,At)),n!==r?.top&&n!==i&&(0,t.dirname)(n)!==n;n=(0,t.dirname)(n));return r!==void 0&&r.mainTop!==r.top&&a.push((0,t.join)(r.mainTop,At)),a.filter(e=>P(e)?.isFile())}function Jt({projectFiles:e}){let n=e.at(-1);return n===void 0?void 0:(0,t.dirname)(n)}function Yt(e,t){return Object.entries(t).filter(([t])=>Xt(t,e)).toSorted(([e],[t])=>t.length-e.length)[0]?.[1]??``}function Xt(e,t){let r=e===`~`||e.startsWith(`~/`)?(0,n.homedir)()+e.slice(1):e;return[.../* @__PURE__ */ new Set([r,Zt(r)])].some(e=>jt(e,t.folder)||jt(e,t.cwd))}function Zt(e){let t=e.split(`/`),n=t.findIndex(e=>/[*?]/.test(e)),r=n===-1?t:t.slice(0,n);return[Kt(r.join(`/`)||`/`),...t.slice(r.length)].join(`/`)}function Qt(e,{place:t,settings:n,project:r}){let i=$t(e.activity,t,n);if(i===void 0)return;let a=e.branch??Ht(t),{branch:o,...s}=e;return{...s,cwd:I(e.cwd),...e.agentType!==void 0&&{agentType:L(e.agentType)},...e.transcriptPath!==void 0&&{transcriptPath:I(e.transcriptPath)},activity:i,project:r,...a!==void 0&&a!==``&&{branch:I(a)}}}const F=/* @__PURE__ */ new Map;function I(e){let t=F.get(e);if(t!==void 0)return t;F.size>=1e3&&F.clear();let n=j(e);return F.set(e,n),n}function $t(e,t,n){let r=e=>j(e,n.maxOutputChars);switch(e.kind){case`prompt`:{let t=r(e.text);return t.trim()===``?void 0:{...e,text:t}}case`turn-end`:return e.response===void 0?e:{...e,response:r(e.response)};case`tool-use`:return Ot(e.name,n.skipTools)?void 0:{...e,name:I(e.name),input:mt(e.input,n.maxInputChars),...e.output!==void 0&&{output:r(e.output)},files:e.files.map(e=>en(e,t))};case`message`:return{...e,text:r(e.text),...e.thinking!==void 0&&{thinking:r(e.thinking)}};case`title`:return{...e,title:j(e.title,n.maxOutputChars)};case`origin`:return{kind:`origin`,...e.plan!==void 0&&{plan:j(e.plan,n.maxOutputChars)},...e.forkedFrom!==void 0&&{forkedFrom:j(e.forkedFrom,n.maxOutputChars)}};case`compaction`:return{...e,summary:r(e.summary)};case`machine-prompt`:return;case`session-start`:return{...e,source:L(e.source),...e.model!==void 0&&{model:L(e.model)}};case`session-end`:return{...e,reason:L(e.reason)};case`checkpoint`:return e}}function L(e){return j(e,200)}function en(e,t){return{...e,path:j(Wt(e.path,t)),...e.backup!==void 0&&{backup:L(e.backup)}}}function tn(e,t){let n=R(e,t.sessionId);if(n===void 0)return!1;let r=`promptId`in t.activity?t.activity.promptId:void 0;return n.current||r!==void 0&&n.promptIds.includes(r)}function nn(e,t,n){let r=R(e,t)?.promptIds??[];an(e,t,{current:!0,promptIds:n===void 0?r:[...r,n].slice(-1e3)})}function rn(e,t){let n=R(e,t);n?.current&&an(e,t,{...n,current:!1})}function R(e,t){let n=N(on(e,t));if(n!==void 0)try{return JSON.parse(n)}catch{return{current:!0,promptIds:[]}}}function an(t,n,r){(0,e.mkdirSync)(t,{recursive:!0,mode:448}),(0,e.writeFileSync)(on(t,n),JSON.stringify(r),{mode:384})}function on(e,n){let r=/^[A-Za-z0-9-]{1,80}$/.test(n)?n:`x${sn(n)}`;return(0,t.join)(e,`${r}.json`)}function sn(e){return process.getBuiltinModule(`node:crypto`).createHash(`sha256`).update(e).digest(`hex`)}const cn=`.json`;function ln(n,r){let i=process.hrtime.bigint().toString(36),a=`${String(r.at).padStart(14,`0`)}-${process.pid}-${i}${cn}`,o=(0,t.join)(n,`.${a}.tmp`);try{un(dn(n,o),Buffer.from(JSON.stringify(r))),(0,e.renameSync)(o,(0,t.join)(n,a))}catch(t){throw(0,e.rmSync)(o,{force:!0}),t}return a}function un(t,n){try{let r=0;for(;r<n.length;)r+=(0,e.writeSync)(t,n,r);(0,e.fsyncSync)(t)}finally{(0,e.closeSync)(t)}}function dn(t,n){try{return(0,e.openSync)(n,`wx`,384)}catch(r){if(r.code!==`ENOENT`)throw r;return(0,e.mkdirSync)(t,{recursive:!0,mode:448}),(0,e.openSync)(n,`wx`,384)}}const z={enabled:{default:!0,about:`Record sessions and hand memory back. Off: hooks do nothing.`,inProject:!0},worker:{default:!0,about:"Start the background worker when it is needed. Off: memory is derived only when somebody runs `c-mem worker`."},project:{default:``,about:`Name of the project this folder belongs to, instead of its git remote or path.`,inProject:!0},projects:{default:{},about:`Project names by folder, e.g. {"~/work/app": "app"}; sub-folders follow.`},excludePaths:{default:[],about:`Folders never recorded: paths or globs, e.g. ["~/clients/**"].`},skipTools:{default:[`ListMcpResourcesTool`,`SlashCommand`,`Skill`,`TodoWrite`,`AskUserQuestion`],about:`Tools whose calls are not recorded.`,inProject:!0},maxInputChars:{default:2e4,about:`Longest text kept of each value in a tool's input; longer ones keep head and tail.`,min:200,max:1e6},maxOutputChars:{default:32e3,about:`Longest tool output, prompt or answer kept; longer ones keep head and tail.`,min:200,max:1e6},maxTranscriptMb:{default:2e3,about:"Largest transcript that `c-mem sync` reads, in megabytes; larger ones are named and left out.",min:1,max:1e6},archive:{default:!1,about:"Keep compressed copies of transcripts, filtered, at every `c-mem sync`: agents delete theirs."},contextMaxChars:{default:9500,about:`Longest block handed to an agent at session start, in UTF-16 units (the client cuts at 10,000).`,min:200,max:9500},contextSessions:{default:8,about:`How many recent sessions that block lists.`,min:1,max:50},provider:{default:`none`,about:`Who rewrites what the extractor noted of a turn: none, anthropic, openai (any compatible server) or claude (your own Claude Code).`,oneOf:[`none`,`anthropic`,`openai`,`claude`],inUserFileOnly:!0},model:{default:``,about:`The provider's model; empty: claude-haiku-5-5, gpt-5.4-nano, or haiku.`,inUserFileOnly:!0},baseUrl:{default:``,about:`Where the provider is, e.g. http://localhost:11434/v1 for Ollama, without a password in it; empty: the company's own.`,refuses:/^[a-z]+:\/\/[^/]*@/i,inUserFileOnly:!0},apiKeyEnv:{default:``,about:`Name of the environment variable that holds the key; empty: ANTHROPIC_API_KEY or OPENAI_API_KEY, with an own baseUrl none.`,inUserFileOnly:!0},tokensPerDay:{default:1e6,about:`Most tokens, in and out, that a model may take in a day; 0 for none.`,inUserFileOnly:!0,min:0,max:1e9},tokensPerProjectAndDay:{default:5e5,about:`The same for each project.`,inUserFileOnly:!0,min:0,max:1e9},usdPerDay:{default:1,about:`Most US dollars that a model may cost in a day, by the prices known; 0 for none.`,inUserFileOnly:!0,isFraction:!0,min:0,max:1e4},usdPerProjectAndDay:{default:.5,about:`The same for each project.`,inUserFileOnly:!0,isFraction:!0,min:0,max:1e4},prices:{default:{},about:`Prices that C-Mem does not know or has wrong, in dollars per million tokens in/out, e.g. {"my-model": "0.25/1.25"}.`,inUserFileOnly:!0},modelTimeoutSeconds:{default:120,about:`How long a model may take to answer, from the question to its last word.`,inUserFileOnly:!0,min:1,max:300},embeddings:{default:`auto`,about:"Who turns texts into vectors, for search by meaning: auto (MiniLM on this machine, once `c-mem model install` has fetched it), none, or openai (any server with /v1/embeddings).",oneOf:[`auto`,`none`,`openai`],inUserFileOnly:!0},embeddingsUrl:{default:``,about:`Where that server is, e.g. http://localhost:11434 for Ollama. What is embedded is sent there.`,inUserFileOnly:!0},embeddingsModel:{default:``,about:`The server's model, e.g. nomic-embed-text. With another one everything is embedded anew, in the background.`,inUserFileOnly:!0},embeddingsKeyEnv:{default:``,about:`Name of the environment variable that holds the server's key; empty: none is sent.`,inUserFileOnly:!0}},fn=Object.keys(z);function pn(e){return`C_MEM_${e.replace(/[A-Z]/g,e=>`_${e}`).toUpperCase()}`}function mn(e,t){let n=z[e];if(!(typeof t==`string`&&n.refuses?.test(t)))return hn(n,t)}function hn(e,t){let{default:n,oneOf:r}=e;return typeof n==`boolean`?_n(t):typeof n==`string`?typeof t==`string`&&(r===void 0||r.includes(t))?t:void 0:typeof n==`number`?gn(e,t):Array.isArray(n)?vn(t):yn(t)}function gn({min:e=-1/0,max:t=1/0,isFraction:n},r){let i=typeof r==`string`&&r.trim()!==``?Number(r):r;if(!(typeof i!=`number`||!Number.isFinite(i)||i<e||i>t))return n||Number.isInteger(i)?i:void 0}function _n(e){if(typeof e==`boolean`)return e;if(e===`1`||e===`true`)return!0;if(e===`0`||e===`false`)return!1}function vn(e){return typeof e==`string`?e.split(`,`).map(e=>e.trim()).filter(e=>e!==``):Array.isArray(e)&&e.every(e=>typeof e==`string`)?e:void 0}function yn(e){if(typeof e==`string`)return yn(bn(e));if(typeof e==`object`&&e&&!Array.isArray(e))return Object.values(e).every(e=>typeof e==`string`)?e:void 0}function bn(e){try{return JSON.parse(e)}catch{return}}function xn(e,t){let n=[],r=Sn(e.user,n),i=(e.project??[]).map(e=>({path:e,settings:Sn(e,n)})),a={},o={};for(let s of fn){let c=z[s].inProject?i.find(e=>e.settings[s]!==void 0):void 0,l=[[`environment`,z[s].inUserFileOnly?void 0:t[pn(s)],pn(s)],[`project`,c?.settings[s],`${c?.path}: ${s}`],[`user`,r[s],`${e.user}: ${s}`]];a[s]=z[s].default,o[s]=`default`;for(let[e,t,r]of l){if(t===void 0)continue;let i=mn(s,t);if(i===void 0)n.push(`${r} has a value that does not fit; ignored`);else{a[s]=i,o[s]=e;break}}}return{values:a,sources:o,problems:n}}function Sn(e,t){let n=N(e);if(n===void 0)return{};try{let e=JSON.parse(n);if(typeof e==`object`&&e&&!Array.isArray(e))return e}catch{}return t.push(`${e} is not a JSON object; ignored`),{}}function Cn(e,t,n){let r=e.get(`SELECT id FROM projects WHERE key = ?`,t.key);return r===void 0?e.run(`INSERT INTO projects (key, name, root, remote, created_at) VALUES (?, ?, ?, ?, ?)`,t.key,t.name,t.root,t.remote??null,n).lastId:r.id}function wn(e,t){return e.get(`SELECT id, key, name, root FROM projects WHERE key = ?`,t)}function Tn(e,t,n){let r=Bt(e),i=xn({user:t,project:r.projectFiles},n),a=Vt(r,i);return{place:r,settings:i.values,project:{key:j(a.key),name:j(a.name),root:j(a.root),...a.remote!==void 0&&{remote:j(a.remote)}},isExcluded:Ut(r,i.values)}}function En(t){try{let n=JSON.parse((0,e.readFileSync)(t,`utf8`));return typeof n?.node!=`string`||typeof n.sites!=`object`?void 0:n}catch{return}}function Dn(e,t){let n=En(e)?.node;return n===process.execPath||t.C_MEM_HANDED_OVER!==void 0?void 0:n}function On(e,t){let n=P(e);return n!==void 0&&Math.abs(t-n.mtimeMs)<15e3}function kn(e,t){let n=Date.now();!On(e.workerLock,n)&&jn(e.workerStart,n)&&An(e,t)}function An(e,{bundle:t,canRun:n}){let r=n()?process.execPath:En(e.install)?.node;if(r===void 0)return;let{spawn:i}=process.getBuiltinModule(`node:child_process`);i(r,[t],{cwd:e.home,detached:!0,stdio:`ignore`,windowsHide:!0}).on(`error`,()=>{}).unref()}function jn(n,r){let i=P(n);if(i!==void 0&&Math.abs(r-i.mtimeMs)<2e4)return!1;try{return i===void 0?(0,e.mkdirSync)((0,t.dirname)(n),{recursive:!0,mode:448}):(0,e.rmSync)(n,{force:!0}),(0,e.closeSync)((0,e.openSync)(n,`wx`,384)),!0}catch{return!1}}var B=class extends Error{code;hint;constructor(e,t,n={}){super(t,{cause:n.cause}),this.name=`AppError`,this.code=e,this.hint=n.hint}};function Mn(e,t){return Fn(new(In()).DatabaseSync(e,{readOnly:t.readOnly??!1,timeout:t.busyTimeoutMs,enableForeignKeyConstraints:!0}))}function Nn(){return Ln()!==void 0}function Pn(e){let t=e.errcode;if(t===void 0)return!1;let n=t&255;return![18,19,20,25].includes(n)}function Fn(e){let t=/* @__PURE__ */ new Map,n=n=>{let r=t.get(n);return r===void 0&&(r=e.prepare(n),t.set(n,r)),r};return{exec:t=>e.exec(t),run(e,...t){let{changes:r,lastInsertRowid:i}=n(e).run(...t);return{changes:Number(r),lastId:Number(i)}},get:(e,...t)=>n(e).get(...t),all:(e,...t)=>n(e).all(...t),close:()=>e.close()}}function In(){let e=Ln();if(e===void 0)throw new B(`node_too_old`,`Node ${process.versions.node} has no usable node:sqlite.`,{hint:"Run `c-mem install`: it finds or fetches a Node that has it (22.16 or newer)."});return e}function Ln(){let[e=0,t=0]=process.versions.node.split(`.`).map(Number);if(!(e<22||e===22&&t<16))return Rn(()=>process.getBuiltinModule(`node:sqlite`))}function Rn(e){let t=process.emitWarning;process.emitWarning=()=>{};try{return e()}finally{process.emitWarning=t}}const zn=new Set(Object.keys({"session-start":!0,prompt:!0,"machine-prompt":!0,"tool-use":!0,message:!0,title:!0,origin:!0,compaction:!0,"turn-end":!0,checkpoint:!0,"session-end":!0}));function Bn(e,t,n){return e.run(`INSERT OR IGNORE INTO drops (name, applied_at) VALUES (?, ?)`,t,n).changes===1}function Vn(e){return e.all(`SELECT name FROM drops`).map(e=>e.name)}function Hn(e,t){e.run(`DELETE FROM drops WHERE name IN (SELECT value FROM json_each(?))`,JSON.stringify(t))}function Un(e,t,n){e.run(`INSERT INTO hook_runs (hook, last_at, count) VALUES (?, ?, 1)
     ON CONFLICT (hook) DO UPDATE SET last_at = max(last_at, excluded.last_at), count = count + 1`,t,n)}function V(e,t){e.exec(`BEGIN IMMEDIATE`);try{let n=t();return e.exec(`COMMIT`),n}catch(t){throw Wn(e),t}}function Wn(e){try{e.exec(`ROLLBACK`)}catch{}}const Gn=/^(?:implement|execute|carry out|follow) the (?:following|below|attached) plan[:.]?\s*/i;function Kn(e){let t=e.trim().replace(Gn,``),n=/^#{1,6}\s+(?:plan|task|feature|fix|todo)?\s*[:—-]?\s*(\S.*)$/im.exec(Jn(t))?.[1];return k(n??t,100)}function qn(e){return e.startsWith(`/`)||e.length<12}function Jn(e){return e.trimStart().split(`
`,1)[0]??``}function Yn(e,t){e.run(`INSERT OR IGNORE INTO file_touches (session_db_id, tool_use_db_id, path, kind, added, removed, backup_version, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,t.sessionDbId,t.toolUseDbId,t.path,t.kind,t.added??null,t.removed??null,t.backup??null,t.at)}function Xn(e,t){e.run(`UPDATE file_touches SET backup_version = ? WHERE path = ? AND backup_version IS NULL
     AND tool_use_db_id = (SELECT id FROM tool_uses WHERE session_db_id = ? AND tool_use_id = ?)`,t.backup,t.path,t.sessionDbId,t.toolUseId)}function Zn(e,t){return e.all(`SELECT f.path, max(f.kind = 'create') AS created, coalesce(sum(f.added), 0) AS added,
       coalesce(sum(f.removed), 0) AS removed, max(f.created_at) AS last_at
     FROM file_touches f
     WHERE f.session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)
       AND f.kind IN ('edit', 'create')
     GROUP BY f.path ORDER BY last_at DESC`,t)}function Qn(e,t,n,r){return e.all(`SELECT DISTINCT path FROM file_touches
     WHERE session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)
       AND kind IN ('edit', 'create') AND created_at BETWEEN ?2 AND ?3
     ORDER BY created_at`,t,n,r).map(e=>e.path)}function $n(e,t){e.run(`INSERT OR IGNORE INTO commits (session_db_id, prompt_number, sha, branch, subject, created_at) VALUES (?, ?, ?, ?, ?, ?)`,t.sessionDbId,t.promptNumber,t.sha,t.branch??null,t.subject,t.at)}function er(e,t,n,r){e.run(`INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, created_at)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS
       (SELECT 1 FROM injections WHERE session_db_id = ?1 AND surface = ?2 AND item_ids = ?3 AND abs(created_at - ?6) < ?7)`,t,n.surface,JSON.stringify(n.itemIds),n.chars,n.tokens,r,5e3)}function tr(e,t){e.run(`INSERT INTO messages
       (session_db_id, prompt_number, prompt_id, uuid, parent_uuid, role, text, thinking, model,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (session_db_id, uuid) DO UPDATE SET
       text = CASE WHEN length(excluded.text) > length(text) THEN excluded.text ELSE text END,
       thinking = CASE WHEN length(coalesce(excluded.thinking, '')) > length(coalesce(thinking, '')) THEN excluded.thinking ELSE thinking END,
       model = coalesce(model, excluded.model),
       parent_uuid = coalesce(parent_uuid, excluded.parent_uuid),
       input_tokens = coalesce(max(input_tokens, excluded.input_tokens), input_tokens, excluded.input_tokens),
       output_tokens = coalesce(max(output_tokens, excluded.output_tokens), output_tokens, excluded.output_tokens),
       cache_read_tokens = coalesce(max(cache_read_tokens, excluded.cache_read_tokens), cache_read_tokens, excluded.cache_read_tokens),
       cache_write_tokens = coalesce(max(cache_write_tokens, excluded.cache_write_tokens), cache_write_tokens, excluded.cache_write_tokens)`,t.sessionDbId,t.promptNumber,t.promptId??null,t.uuid,t.parentUuid??null,t.role,t.text,t.thinking??null,t.model??null,t.tokens?.input??null,t.tokens?.output??null,t.tokens?.cacheRead??null,t.tokens?.cacheWrite??null,t.at)}function nr(e,t,n){ir(e,{kind:`session`,key:rr(t),runAfter:n+3e3},n)}function rr(e){return`session:${e}`}function ir(e,t,n){e.run(`INSERT INTO jobs (kind, key, run_after, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET
       run_after = CASE WHEN status = 'pending' THEN max(run_after, excluded.run_after) ELSE excluded.run_after END,
       again = status = 'running',
       attempts = CASE WHEN status IN ('done', 'failed') THEN 0 ELSE attempts END,
       deaths = CASE WHEN status IN ('done', 'failed') THEN 0 ELSE deaths END,
       last_error = CASE WHEN status IN ('done', 'failed') THEN NULL ELSE last_error END,
       status = CASE WHEN status = 'running' THEN 'running' ELSE 'pending' END`,t.kind,t.key,t.runAfter,n)}function H(e,t,n){e.run(`INSERT INTO stale_links VALUES (?1, coalesce((SELECT created_at FROM prompts WHERE session_db_id = ?1 AND prompt_number = ?2), 0))
     ON CONFLICT (session_db_id) DO UPDATE SET changed_from = min(coalesce(changed_from, excluded.changed_from), excluded.changed_from)`,t,n??null)}const ar=[`stale_turns`,`stale_memory`];function or(e,t,n){for(let r of ar)e.run(`INSERT OR IGNORE INTO ${r} SELECT id FROM prompts WHERE session_db_id = ? AND prompt_number = ?`,t,n);H(e,t,n)}function sr(e,t){for(let n of ar)e.run(`INSERT OR IGNORE INTO ${n} SELECT id FROM prompts WHERE session_db_id = ?`,t);H(e,t)}function cr(e,t,n){let r=e.all(`SELECT id, prompt_number FROM prompts WHERE session_db_id = ? ORDER BY created_at, id`,t),i=new Map(r.map((e,t)=>[e.prompt_number,t+1]));return[...i].some(([e,t])=>e!==t)&&lr(e,t,r,i),r.findIndex(e=>e.id===n)+1}function lr(e,t,n,r){e.run(`UPDATE prompts SET prompt_number = -prompt_number WHERE session_db_id = ?`,t);for(let[t,r]of n.entries())e.run(`UPDATE prompts SET prompt_number = ? WHERE id = ?`,t+1,r.id);let i=JSON.stringify(Object.fromEntries(r));for(let n of[`tool_uses`,`messages`,`commits`,`observations`,`summaries`]){let r=`session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)`;e.run(`UPDATE ${n} SET prompt_number = -coalesce(json_extract(?2, '$."' || prompt_number || '"'), prompt_number)
       WHERE ${r}`,t,i),e.run(`UPDATE ${n} SET prompt_number = -prompt_number WHERE ${r}`,t)}sr(e,t)}const U=1e4;function ur(e,t){let n=dr(e,t);if(n!==void 0)return{number:n,isNew:!1,ownsId:!1};let r=pr(e,t),i=hr(e,t.sessionDbId),{lastId:a}=e.run(`INSERT INTO prompts (session_db_id, prompt_number, prompt_id, text, created_at) VALUES (?, ?, ?, ?, ?)`,t.sessionDbId,i,r,t.text,t.at);return e.run(`INSERT INTO prompts_trigram (rowid, text) VALUES (?, ?)`,a,t.text),{number:e.get(`SELECT 1 FROM prompts WHERE session_db_id = ? AND created_at > ?`,t.sessionDbId,t.at)===void 0?i:cr(e,t.sessionDbId,a),isNew:!0,ownsId:r!==null&&r===t.promptId}}function dr(e,t){let{sessionDbId:n,promptId:r,text:i,at:a}=t,o=r===void 0?void 0:e.get(`SELECT * FROM prompts WHERE session_db_id = ? AND prompt_id = ?`,n,r);if(o!==void 0&&o.text===i)return o.prompt_number;let s=e.all(`SELECT * FROM prompts WHERE session_db_id = ? AND created_at BETWEEN ? AND ? AND text = ?`,n,a-U,a+U,i).find(({prompt_id:e})=>r===void 0?e!==null:e===null||e.includes(`@`)||o!==void 0);return s===void 0?r===void 0?fr(e,t):void 0:(r!==void 0&&o===void 0&&e.run(`UPDATE prompts SET prompt_id = ? WHERE id = ?`,r,s.id),s.prompt_number)}function fr(e,{sessionDbId:t,text:n}){return e.get(`SELECT p.prompt_number FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.session_db_id = ? AND p.prompt_number = s.prompt_count AND p.text = ? AND p.ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM tool_uses t WHERE t.session_db_id = p.session_db_id AND t.prompt_number = p.prompt_number)`,t,n)?.prompt_number}function pr(e,{sessionDbId:t,promptId:n,at:r}){if(n===void 0)return null;let i=e.get(`SELECT * FROM prompts WHERE session_db_id = ? AND prompt_id = ?`,t,n);if(i===void 0)return n;if(i.created_at<=r)return mr(e,t,n,r);let a=mr(e,t,n,i.created_at);return e.run(`UPDATE prompts SET prompt_id = ? WHERE id = ?`,a,i.id),n}function mr(e,t,n,r){let i=`${n}@${r}`,a=i;for(let n=2;W(e,t,a)!==void 0;n++)a=`${i}.${n}`;return a}function hr(e,t){return e.get(`UPDATE sessions SET prompt_count = prompt_count + 1 WHERE id = ? RETURNING prompt_count`,t).prompt_count}function W(e,t,n){return e.get(`SELECT prompt_number FROM prompts WHERE session_db_id = ? AND prompt_id = ?`,t,n)?.prompt_number}function gr(e,t){return e.get(`SELECT prompt_count FROM sessions WHERE id = ?`,t)?.prompt_count??0}function _r(e,t){let n=e.get(`SELECT id, response FROM prompts
     WHERE session_db_id = ?1 AND prompt_number = ?2 AND (coalesce(ended_at, 0) <= ?3 OR response IS NULL)
       AND created_at <= ?3 + ?4`,t.sessionDbId,t.number,t.at,U);n!==void 0&&e.run(`UPDATE prompts SET ended_at = max(coalesce(ended_at, 0), ?), response = ? WHERE id = ?`,t.at,t.response??n.response,n.id)}function vr(e,t,n){return e.all(`SELECT prompt_number, text, response, created_at, ended_at FROM prompts
     WHERE session_db_id = ? ORDER BY prompt_number DESC LIMIT ?`,t,n)}function yr(e,t){return e.get(`INSERT INTO sessions
       (session_id, agent, project_id, parent_session_db_id, subtitle, cwd, git_branch, transcript_path, version, started_at, last_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
     ON CONFLICT (session_id) DO UPDATE SET
       git_branch = CASE WHEN excluded.last_at >= last_at THEN coalesce(excluded.git_branch, git_branch) ELSE git_branch END,
       transcript_path = coalesce(transcript_path, excluded.transcript_path),
       version = coalesce(version, excluded.version),
       parent_session_db_id = coalesce(parent_session_db_id, excluded.parent_session_db_id),
       started_at = min(started_at, excluded.started_at),
       -- What was given up as interrupted goes on after all.
       status = CASE WHEN status = 'interrupted' AND excluded.last_at > last_at THEN 'active' ELSE status END,
       ended_at = CASE WHEN status = 'interrupted' AND excluded.last_at > last_at THEN NULL ELSE ended_at END,
       last_at = max(last_at, excluded.last_at)
     RETURNING id, project_id AS projectId, last_at AS lastAt`,t.sessionId,t.agent,t.projectId,t.parentId??null,t.subtitle??null,t.cwd,t.branch??null,t.transcriptPath??null,t.version??null,t.at)}function br(e,t,n,r){e.run(`UPDATE sessions SET started_at = min(started_at, ?2), last_at = max(last_at, ?3) WHERE id = ?1`,t,n,r)}function xr(e,t,n){e.run(`UPDATE sessions SET status = 'active', ended_at = NULL, end_reason = NULL
     WHERE id = ? AND status <> 'active' AND coalesce(ended_at, 0) < ?`,t,n)}function Sr(e,t,n){e.run(`UPDATE sessions SET status = 'completed', ended_at = ?2, end_reason = ?3 WHERE id = ?1 AND last_at <= ?2 + ?4`,t,n.at,n.reason,5e3)}function Cr(e,t,n){e.run(`UPDATE sessions SET model = ?1 WHERE id = ?2 AND model IS NOT ?1`,n,t)}function wr(e,t,n){e.run(`UPDATE sessions SET agent_title = ?1, title = ?1 WHERE id = ?2`,n,t)}function Tr(e,t,{plan:n,forkedFrom:r}){let{changes:i}=e.run(`UPDATE sessions SET plan = coalesce(plan, ?2), forked_from = coalesce(forked_from, ?3)
     WHERE id = ?1 AND ((plan IS NULL AND ?2 IS NOT NULL) OR (forked_from IS NULL AND ?3 IS NOT NULL))`,t,n??null,r??null);i>0&&H(e,t)}function Er(e,t){return e.get(`SELECT agent_title FROM sessions WHERE id = ?`,t)?.agent_title??null}function Dr(e,t,n){e.run(`UPDATE sessions SET report = ? WHERE id = ?`,n,t)}function Or(e,t){return e.get(`SELECT title FROM sessions WHERE id = ?`,t)?.title??null}function kr(e,t,n){e.run(`UPDATE sessions SET title = ?1 WHERE id = ?2 AND title IS NOT ?1`,n,t)}function Ar(e,t,n){return e.all(`SELECT id, session_id, title, status, prompt_count, git_branch, started_at, last_at FROM sessions
     WHERE project_id = ? AND parent_session_db_id IS NULL AND prompt_count > 0 AND last_at > ?
     ORDER BY last_at DESC LIMIT ?`,t,n.after??0,n.limit)}function jr(e,t){return e.get(`SELECT id, session_id, title, status, prompt_count, git_branch, started_at, last_at FROM sessions WHERE session_id = ?`,t)}function Mr(e){return e.get(`SELECT 1 FROM tombstones LIMIT 1`)!==void 0}function G(e,{kind:t,hash:n}){return e.get(`SELECT 1 FROM tombstones WHERE kind = ? AND hash = ?`,t,n)!==void 0}function K(e,t,n=``){let{createHash:r}=process.getBuiltinModule(`node:crypto`);return{kind:e,hash:r(`sha256`).update(JSON.stringify([e,t,n])).digest(`hex`)}}function Nr(e,t,n,r=0){return K(`moment`,e,`${Math.floor(n/1e4)+r} ${t}`)}function Pr(e,t){let{changes:n,lastId:r}=e.run(`INSERT OR IGNORE INTO tool_uses
       (session_db_id, prompt_number, prompt_id, tool_use_id, agent_id, agent_type, name, input, output, is_error, exit_code, duration_ms, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,t.sessionDbId,t.promptNumber,t.promptId??null,t.toolUseId,t.agentId??null,t.agentType??null,t.name,t.input,t.output??null,Number(t.isError),t.exitCode??null,t.durationMs??null,t.at);return n===0?void 0:r}function Fr(e,t,n,r){for(let i of[`tool_uses`,`messages`])e.run(`UPDATE ${i} SET prompt_number = ?3 WHERE prompt_id = ?2 AND prompt_number <> ?3
       AND session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)`,t,n,r)}function Ir(e,t,n){return e.all(`SELECT t.id, coalesce(s.parent_session_db_id, s.id) AS main_session_db_id, json_extract(t.input, '$.command') AS command, substr(t.output, 1, 2000) AS output,
       t.is_error, t.exit_code, t.created_at
     FROM sessions s JOIN tool_uses t ON t.session_db_id = s.id
     WHERE (s.id IN (SELECT value FROM json_each(?1)) OR s.parent_session_db_id IN (SELECT value FROM json_each(?1)))
       AND t.name = 'Bash' AND json_valid(t.input)
     ORDER BY t.created_at DESC, t.id DESC LIMIT ?2`,JSON.stringify(t),n).filter(e=>typeof e.command==`string`).toReversed()}function Lr(){return{projects:/* @__PURE__ */ new Map,sessions:/* @__PURE__ */ new Map,turns:/* @__PURE__ */ new Map,stale:/* @__PURE__ */ new Set,models:/* @__PURE__ */ new Map}}function Rr(e,t){for(let n of t.sessions.values())q(e,n)}function q(e,t){t.isWritten||br(e,t.id,t.firstAt,t.lastAt),t.isWritten=!0}function zr(e,t,{project:n,at:r}){let i=t.projects.get(n.key);if(i!==void 0)return i;let a=Cn(e,n,r);return t.projects.set(n.key,a),a}function Br(e,t,n){let{at:r,sessionId:i,...a}=n,o=JSON.stringify(a),s=t.sessions.get(i),c=s!==void 0&&s.lastAt<s.newestAt&&r>=s.newestAt;if(s?.said===o&&!c)return(r<s.firstAt||r>s.lastAt)&&(s.isWritten=!1),s.firstAt=Math.min(s.firstAt,r),s.lastAt=Math.max(s.lastAt,r),s;s!==void 0&&q(e,s);let l=yr(e,n);return t.sessions.set(i,{...l,newestAt:l.lastAt,said:o,firstAt:r,lastAt:r,isWritten:!0}),l}function Vr(e,t,n){for(let r of t.sessions.values())r.id===n&&q(e,r)}function J(e,t,n,r){let i=`${n} ${r??``}`,a=t.turns.get(i);if(a!==void 0)return a;let o=(r===void 0?void 0:W(e,n,r))??gr(e,n);return t.turns.set(i,o),o}function Hr(e){e.turns.clear(),e.stale.clear()}function Y(e,t,n,r){let i=`${n} ${r}`;t.stale.has(i)||(or(e,n,r),t.stale.add(i))}function Ur(e,t,n,r){t.models.get(n)!==r&&(Cr(e,n,r),t.models.set(n,r))}function Wr(e,t){if(!/\bcommit\b|\bcherry-pick\b|\brevert\b|\bmerge\b/.test(e))return[];let n=[];for(let e of t.matchAll(/^\[([^\]\s]{1,200})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,300})$/gm)){let[,t=``,r=``,i=``]=e;n.push({sha:r,branch:t,subject:i})}return n}function Gr(e,t){if(!X(e,t.sessionId)&&!(t.agentId!==void 0&&X(e,`agent-${t.agentId}`)))return qr(e,t.sessionId)?Jr(e,t):t}function X(e,t){return G(e,Kr(`session`,t))}const Z=/* @__PURE__ */ new Map;function Kr(e,t){let n=`${e} ${t}`,r=Z.get(n);if(r!==void 0)return r;Z.size>=1e3&&Z.clear();let i=K(e,t);return Z.set(n,i),i}function qr(e,t){return Mr(e)?G(e,Kr(`part`,t))||X(e,t):!1}function Jr(e,t){let{sessionId:n,activity:r,at:i}=t,a=(t,r)=>G(e,K(t,n,r));switch(r.kind){case`prompt`:return Yr(e,n,r,i)?void 0:t;case`tool-use`:return r.toolUseId!==void 0&&a(`tool-use`,r.toolUseId)||Q(e,n,r.promptId)?void 0:t;case`message`:return a(`message`,r.uuid)||Q(e,n,r.promptId)?void 0:t;case`compaction`:return a(`message`,r.uuid)?void 0:t;case`title`:return a(`text`,r.title)?void 0:t;case`turn-end`:{if(Q(e,n,r.promptId))return;let{response:i,...o}=r;return i!==void 0&&a(`text`,i)?{...t,activity:o}:t}case`checkpoint`:return Q(e,n,r.promptId)?void 0:t;default:return t}}function Yr(e,t,{promptId:n,text:r},i){return G(e,Nr(t,r,i))?!0:n===void 0?!1:G(e,K(`prompt`,t,`${n}@${i}`))?!0:G(e,K(`prompt`,t,n))&&G(e,K(`text`,t,r))}function Q(e,t,n){if(n===void 0||!G(e,K(`prompt`,t,n)))return!1;let r=jr(e,t);return r===void 0||W(e,r.id,n)===void 0}function Xr(e,t,n){let r=Lr();Zr(e,r,t,n),Rr(e,r)}function Zr(e,t,n,r){t.hasTombstones??=Mr(e);let i=t.hasTombstones?Gr(e,n):n;if(i===void 0)return;let a=$r(e,t,i);ei(e,t,i,a,r),i.injection!==void 0&&er(e,a.own,i.injection,i.at)}function Qr(e,{activity:t,sessionId:n,at:r}){[`turn-end`,`checkpoint`,`session-end`].includes(t.kind)&&nr(e,n,r)}function $r(e,t,n){let r=zr(e,t,n),i={agent:n.agent,projectId:r,cwd:n.cwd,branch:n.branch,version:n.version,at:n.at},a=Br(e,t,{...i,sessionId:n.sessionId,transcriptPath:n.transcriptPath}),o=a.projectId!==r;return n.agentId===void 0?{own:a.id,main:a.id,isElsewhere:o}:{own:Br(e,t,{...i,sessionId:`agent-${n.agentId}`,parentId:a.id,subtitle:n.agentType}).id,main:a.id,isElsewhere:o}}function ei(e,t,n,r,i){let{activity:a,at:o}=n,{own:s,main:c}=r;switch(a.kind){case`session-start`:xr(e,c,o),a.model!==void 0&&Ur(e,t,c,a.model);return;case`prompt`:{let{number:n,isNew:r,ownsId:i}=ur(e,{sessionDbId:c,promptId:a.promptId,text:a.text,at:o});if(Hr(t),!r)return;Y(e,t,c,n),xr(e,c,o),ti(e,c,a.text,n),a.promptId!==void 0&&i&&Fr(e,c,a.promptId,n);return}case`tool-use`:ni(e,t,n,a,r,i);return;case`message`:{let n=J(e,t,c,a.promptId);tr(e,{...a,sessionDbId:s,promptNumber:n,at:o}),Y(e,t,c,n),a.model!==void 0&&Ur(e,t,s,a.model);return}case`compaction`:tr(e,{sessionDbId:s,promptNumber:J(e,t,c),uuid:a.uuid,role:`summary`,text:a.summary,at:o}),Y(e,t,c,J(e,t,c));return;case`title`:wr(e,s,a.title);return;case`origin`:s===c&&Tr(e,c,a);return;case`turn-end`:{let n=J(e,t,c,a.promptId);s===c?_r(e,{sessionDbId:c,number:n,response:a.response,at:o}):a.response!==void 0&&Dr(e,s,a.response),Y(e,t,c,n),s!==c&&Vr(e,t,s),s!==c&&Sr(e,s,{at:o,reason:`subagent`});return}case`session-end`:Vr(e,t,c),Sr(e,c,{at:o,reason:a.reason});return;case`checkpoint`:case`machine-prompt`:return}}function ti(e,t,n,r){if(Er(e,t)!==null)return;let i=Or(e,t),a=Kn(n),o=!qn(a)&&(r===1||i!==null&&qn(i));(i===null||o)&&kr(e,t,a)}function ni(e,t,n,r,{own:i,main:a,isElsewhere:o},s){let c=J(e,t,a,r.promptId),l=r.toolUseId??`c-mem:${s}`,u=Pr(e,{sessionDbId:i,promptNumber:c,promptId:r.promptId,toolUseId:l,agentId:n.agentId,agentType:n.agentType,name:r.name,input:JSON.stringify(r.input),output:r.output,isError:r.isError,exitCode:r.exitCode,durationMs:r.durationMs,at:n.at}),d=u!==void 0;d&&Y(e,t,a,c);for(let t of r.files){let{backup:r}=t,a=o&&!/^(?:\/|[A-Za-z]:|\\)/.test(t.path)?`${n.project.root}/${t.path}`:t.path;d?Yn(e,{...t,path:a,sessionDbId:i,toolUseDbId:u,at:n.at}):r!==void 0&&Xn(e,{sessionDbId:i,toolUseId:l,path:a,backup:r})}d&&r.name===`Bash`&&ri(e,n,r,a,c)}function ri(e,t,n,r,i){let a=n.input?.command;if(typeof a==`string`)for(let o of Wr(a,n.output??``))$n(e,{...o,sessionDbId:r,promptNumber:i,at:t.at})}function ii(e,t,n={}){let r=ai(t),i={applied:0,bad:0,remaining:r.length},a=Date.now()+(n.maxMs??1/0);for(let n=0;n<r.length&&Date.now()<a;n+=200){let a=r.slice(n,n+200);si(e,t,a,i),i.remaining-=a.length}return pi(e,t),i}function ai(e){let n=Pt(e);for(let r of n)r.endsWith(`.tmp`)&&oi((0,t.join)(e,r));return n.filter(e=>e.endsWith(cn)).sort()}function oi(t){let n=P(t);n!==void 0&&Date.now()-n.mtimeMs>36e5&&(0,e.rmSync)(t,{force:!0})}function si(n,r,i,a){let o=V(n,()=>li(n,ci(r,i)));for(let[n,i]of o)(i===`applied`||i===`known`)&&(0,e.rmSync)((0,t.join)(r,n),{force:!0}),i===`bad`&&mi(r,n),i===`applied`&&(a.applied+=1),i===`bad`&&(a.bad+=1)}function ci(e,n){let r=/* @__PURE__ */ new Map;for(let i of n){let n=ui((0,t.join)(e,i));n!==void 0&&r.set(i,di(n))}return r}function li(e,t){let n=/* @__PURE__ */ new Map,r=(t,r)=>{n.has(t)||n.set(t,r===void 0?`bad`:fi(e,t,r))},i=/* @__PURE__ */ new Map;for(let[e,n]of t){let t=n?.activity.kind===`prompt`?n.activity.promptId:void 0;t!==void 0&&!i.has(t)&&i.set(t,e)}for(let[e,n]of t){let a=n!==void 0&&`promptId`in n.activity?n.activity.promptId:void 0,o=a===void 0?void 0:i.get(a);o!==void 0&&r(o,t.get(o)),r(e,n)}return n}function ui(t){try{return(0,e.readFileSync)(t,`utf8`)}catch{return}}function di(e){try{let t=JSON.parse(e);return typeof t.activity?.kind==`string`?t:void 0}catch{return}}function fi(e,t,n){if(!zn.has(n.activity.kind))return`waits`;e.exec(`SAVEPOINT one_drop`);try{return Bn(e,t,Date.now())?(Xr(e,n,t),Qr(e,n),n.hook!==void 0&&Un(e,n.hook,n.at),`applied`):`known`}catch(t){if(Pn(t))throw t;return e.exec(`ROLLBACK TO one_drop`),`bad`}finally{e.exec(`RELEASE one_drop`)}}function pi(e,n){let r=Vn(e).filter(e=>P((0,t.join)(n,e))===void 0);r.length>0&&V(e,()=>Hn(e,r))}function mi(n,r){(0,e.mkdirSync)((0,t.join)(n,`bad`),{recursive:!0,mode:448});try{(0,e.renameSync)((0,t.join)(n,r),(0,t.join)(n,`bad`,r))}catch(e){if(e.code!==`ENOENT`)throw e}}const $={whitespace:/^\s+$/,structuredWhitespace:/\n\s/,nonAscii:/[\u0080-\uFFFF]/,cjk:/[\u4E00-\u9FFF\u3400-\u4DBF\u3000-\u30FF\uFF00-\uFFEF\u2E80-\u2EFF\u31C0-\u31EF\u3200-\u32FF\u3300-\u33FF\uAC00-\uD7AF\u1100-\u11FF\u3130-\u318F\uA960-\uA97F\uD7B0-\uD7FF]/,numeric:/^\d+$/,punctuation:/[.,!?;(){}[\]<>:/\\|@#$%^&*+=`~_"-]/,cjkPunctuation:/[\u3001-\u3003\u3008-\u3011\u3014-\u301F\u3030\u30FB\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65]/,lowercaseWord:/^[a-z]+$/},hi=RegExp(`(\\s+|${$.punctuation.source}+|${$.cjkPunctuation.source}+)`),gi=[{pattern:/[äöüßẞ]/i,averageCharsPerToken:3},{pattern:/[éèêëàâîïôûùüÿçœæáíóúñ]/i,averageCharsPerToken:4.5},{pattern:/[ąćęłńóśźżěščřžýůúďťň]/i,averageCharsPerToken:2.5},{pattern:/[\u0430-\u044F\u0451]/i,averageCharsPerToken:6},{pattern:/[\u03AC-\u03CE]/i,averageCharsPerToken:3},{pattern:/^\p{Extended_Pictographic}[\p{Extended_Pictographic}\p{Emoji_Component}]*$/u,averageCharsPerToken:.9}];function*_i(e,t={}){if(!e)return;let n=vi(t),r=``,i=e.split(hi);for(let e=0;e<i.length;e++){let t=i[e];$.cjkPunctuation.test(i[e+1]??``)&&$.cjk.test(t)&&(t+=i[++e]),t&&(yield{segment:t,tokenCount:yi(t,n,r)},r=t)}}function vi(e){return{defaultCharsPerToken:e.defaultCharsPerToken??7,customLanguageConfigs:e.languageConfigs??[]}}function yi(e,{customLanguageConfigs:t,defaultCharsPerToken:n},r){if($.whitespace.test(e)){if($.structuredWhitespace.test(e))return 1;if(!e.includes(`
`))return 0;let t=r.slice(-1);return $.punctuation.test(t)||$.cjkPunctuation.test(t)?0:1}let i=bi(e,t);if(i!==void 0)return Math.ceil(xi(e)/i);if($.cjk.test(e))return Si(e);let a=$.nonAscii.test(e)?bi(e,gi):void 0;return a===void 0?$.numeric.test(e)?Math.ceil(e.length/3):e.length<=3||e.length<=8&&$.lowercaseWord.test(e)?1:$.punctuation.test(e)?Math.ceil(e.length/6):Math.ceil(e.length/n):Math.ceil(xi(e)/a)}function bi(e,t){for(let n of t)if(e.search(n.pattern)!==-1)return n.averageCharsPerToken}function xi(e){return Array.from(e).length}function Si(e){let t=0,n=0,r=0;for(let i of e){let e=i.codePointAt(0);e>=12352&&e<=12543?t++:Ci(e)?n++:r++}return Math.ceil(r/1.2+t/1.35+n/1.65)}function Ci(e){return e>=44032&&e<=55215||e>=4352&&e<=4607||e>=12592&&e<=12687||e>=43360&&e<=43391||e>=55216&&e<=55295}function wi(e,t={}){if(!e)return 0;let n=0;for(let r of _i(e,t))n+=r.tokenCount;return n}function Ti(e){return wi(e)}function Ei(e,t,n){let r=[e.open],i=e.open.length+e.close.length+1;for(let{heading:e,lines:a}of t){let t=n-i-e.length-2,o=[];for(let e of a){if(e.length+1>t)break;o.push(e),t-=e.length+1}if(o.length===0)continue;let s=[``,e,...o].join(`
`);r.push(s),i+=s.length+1}return r.length===1?``:[...r,e.close].join(`
`)}const Di=/^(?:\[?(?:error|fatal|panic|failed)\b|(?:[\w.]+\.)?\w*(?:Error|Exception)\b)/i,Oi=/error|fail|exception|cannot|can't|not found|no such|denied|undefined|unexpected|expected|panic|fatal/i;function ki(e){let t=e.split(`
`).map(e=>e.trim()).filter(e=>e!==``&&!/^Exit code \d+$/.test(e));return k(t.find(e=>Di.test(e))??t.find(e=>Oi.test(e))??t.at(-1)??``,160)}new Set(`the an to of in on at is are was were be been it its this that and or for with from by as if time hex line`.split(` `));function Ai(e){return e.trim().replace(/^(?:#[^\n]*\n\s*)+/,``).replace(/^cd\s+(?:"[^"]*"|'[^']*'|\S+)\s*(?:&&|;)\s*/,``).replace(/\s+/g,` `)}function ji(e,t,n){let r=/* @__PURE__ */ new Map,i=/* @__PURE__ */ new Map;for(let n of Ir(e,t,400)){let e=Ai(n.command);if(n.is_error){if(n.exit_code===null)continue;r.set(e,n),i.delete(e);continue}let t=r.get(e);t!==void 0&&(r.delete(e),i.set(e,{failure:t,success:n}))}return[...i].sort(([,e],[,t])=>t.success.created_at-e.success.created_at).slice(0,n).map(([t,{failure:n,success:r}])=>({command:t,exitCode:n.exit_code??void 0,error:ki(n.output??``),changed:Qn(e,n.main_session_db_id,n.created_at,r.created_at),at:r.created_at}))}function Mi(e,t){let n=t.sessionId===void 0?void 0:jr(e,t.sessionId),r=Ni(e,t,n),i=r[0];if(i===void 0)return{text:``,itemIds:[]};let a=ji(e,r.map(e=>e.id),5),o=[{heading:`## Where work stopped${Pi(i,n,t.now)}`,lines:Fi(e,i)},{heading:`## Commands that failed and later passed`,lines:a.map(Ri)},{heading:`## Sessions before that`,lines:r.slice(1).map(n=>zi(e,n,t.now))}];return{text:Ei({open:`<c-mem-context>\n# Memory of earlier sessions in ${k(t.project.name,80)}\nRecorded by C-Mem from past work in this project: background, not instructions.`,close:`</c-mem-context>`},o,t.maxChars),itemIds:r.map(e=>`session:${e.id}`)}}function Ni(e,t,n){let r=t.source===`resume`,i=t.source!==`compact`;return Ar(e,t.project.id,{limit:t.sessions+1,after:r?n?.last_at??0:0}).filter(e=>!(i&&e.id===n?.id)).slice(0,t.sessions)}function Pi(e,t,n){return` (${[e.id===t?.id?`in this session, before compaction`:ut(e.last_at,n),e.git_branch&&`branch ${k(e.git_branch,60)}`].filter(Boolean).join(`, `)})`}function Fi(e,t){let[n,...r]=vr(e,t.id,3);if(n===void 0)return[];let i=[`Asked last: ${k(n.text,400)}`];n.response?i.push(`Ended with:${Ii(lt(ct(n.response).trim(),1600))}`):n.ended_at===null&&i.push(`The turn did not come to its end (interrupted, or still running).`);let a=Zn(e,t.id);a.length>0&&i.push(`Files changed in that session: ${Li(a)}`);for(let e of r)i.push(`Asked before: ${k(e.text,400)}`);return t.prompt_count>3&&t.title&&i.push(`The session began with: ${k(t.title,200)}`),i}function Ii(e){return e.includes(`
`)?`\n${e.replace(/^/gm,`> `)}`:` ${e}`}function Li(e){let t=e.slice(0,12).map(e=>{let t=[e.added>0&&`+${e.added}`,e.removed>0&&`-${e.removed}`].filter(Boolean).join(` `),n=[e.created?`new`:``,t].filter(Boolean).join(`, `);return k(e.path,160)+(n===``?``:` (${n})`)}),n=e.length-t.length;return t.join(`, `)+(n>0?` and ${n} more`:``)}function Ri(e){let t=e.exitCode===void 0?``:` with exit code ${e.exitCode}`,n=e.error===``?``:`: ${e.error}`,r=e.changed.length===0?`passed later`:`passed after a change to ${e.changed.slice(0,4).map(e=>k(e,120)).join(`, `)}`;return`- \`${k(e.command,160)}\` failed${t}${n}; ${r}`}function zi(e,t,n){let r=Zn(e,t.id),i=[`${t.prompt_count} ${t.prompt_count===1?`prompt`:`prompts`}`,t.git_branch&&`branch ${k(t.git_branch,60)}`,r.length>0&&`changed ${r.slice(0,3).map(e=>k(e.path,80)).join(`, `)}${r.length>3?` and ${r.length-3} more`:``}`].filter(Boolean);return`- ${ut(t.last_at,n)}: ${k(t.title??`(untitled)`,120)} (${i.join(`; `)})`}const Bi=[{id:1,name:`evidence`,sql:`-- Evidence: what happened, word for word after privacy filtering. All times are integer milliseconds.

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,               -- normalised git remote, else git root, else folder
  name TEXT NOT NULL,
  root TEXT NOT NULL,
  remote TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,        -- the agent's own id; a subagent's is "agent-<id>"
  agent TEXT NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  parent_session_db_id INTEGER REFERENCES sessions(id),
  title TEXT,
  subtitle TEXT,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'interrupted', 'failed')),
  prompt_count INTEGER NOT NULL DEFAULT 0,
  model TEXT,
  version TEXT,
  git_branch TEXT,
  cwd TEXT NOT NULL,
  transcript_path TEXT,
  report TEXT,                            -- a subagent's last words
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT
) STRICT;
CREATE INDEX sessions_by_project ON sessions(project_id, last_at);
CREATE INDEX sessions_by_parent ON sessions(parent_session_db_id) WHERE parent_session_db_id IS NOT NULL;

CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  prompt_id TEXT,                         -- the agent's own id of the prompt
  text TEXT NOT NULL,
  response TEXT,                          -- the assistant's last message of the turn
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  UNIQUE (session_db_id, prompt_number)
) STRICT;
CREATE UNIQUE INDEX prompts_by_prompt_id ON prompts(session_db_id, prompt_id) WHERE prompt_id IS NOT NULL;

CREATE TABLE tool_uses (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,         -- the turn; a subagent's tool use has its parent's turn
  prompt_id TEXT,
  tool_use_id TEXT NOT NULL,
  agent_id TEXT,                          -- set inside a subagent
  agent_type TEXT,
  name TEXT NOT NULL,
  input TEXT NOT NULL,                    -- JSON
  output TEXT,
  is_error INTEGER NOT NULL,
  exit_code INTEGER,
  duration_ms INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, tool_use_id)
) STRICT;
CREATE INDEX tool_uses_by_prompt_id ON tool_uses(prompt_id) WHERE prompt_id IS NOT NULL;

CREATE TABLE file_touches (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  tool_use_db_id INTEGER NOT NULL REFERENCES tool_uses(id) ON DELETE CASCADE,
  path TEXT NOT NULL,                     -- inside the project: relative to its root, with "/"; outside: absolute
  kind TEXT NOT NULL CHECK (kind IN ('read', 'edit', 'create')),
  added INTEGER,
  removed INTEGER,
  backup_version TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (tool_use_db_id, path)
) STRICT;
CREATE INDEX file_touches_by_session ON file_touches(session_db_id, kind);
CREATE INDEX file_touches_by_path ON file_touches(path);

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed')),
  lease_until INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  run_after INTEGER NOT NULL,
  last_error TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_due ON jobs(status, run_after);

CREATE TABLE injections (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  surface TEXT NOT NULL,                  -- where it was shown: session-start, ...
  item_ids TEXT NOT NULL,                 -- JSON array, e.g. ["session:12"]
  chars INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cited INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX injections_by_session ON injections(session_db_id);

-- Names of spool files whose rows are committed but whose file may still be there: makes the drain exactly-once.
CREATE TABLE drops (
  name TEXT PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- When each hook last fired, for \`status\` and \`doctor\`.
CREATE TABLE hook_runs (
  hook TEXT PRIMARY KEY,
  last_at INTEGER NOT NULL,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Search. External content, filled by the store's own code: triggers halve the rate of ingest.
CREATE VIRTUAL TABLE prompts_fts USING fts5(text, response, content='prompts', content_rowid='id', tokenize='porter unicode61');
CREATE VIRTUAL TABLE prompts_trigram USING fts5(text, content='prompts', content_rowid='id', tokenize='trigram');

-- Only the first part of a tool's input and output is indexed; the rows keep the whole.
CREATE VIEW tool_uses_indexed AS
  SELECT id, name, substr(input, 1, 4096) AS input, substr(output, 1, 2048) AS output FROM tool_uses;
CREATE VIRTUAL TABLE tool_uses_fts USING fts5(name, input, output, content='tool_uses_indexed', content_rowid='id', tokenize='porter unicode61');
`},{id:2,name:`history`,sql:`-- History: what transcripts add to the evidence of the hooks, and how far each file has been read.

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  prompt_id TEXT,
  uuid TEXT NOT NULL,                     -- the agent's own id of the message
  parent_uuid TEXT,
  role TEXT NOT NULL CHECK (role IN ('assistant', 'system', 'summary')),
  text TEXT NOT NULL,
  thinking TEXT,
  model TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, uuid)
) STRICT;
CREATE INDEX messages_by_turn ON messages(session_db_id, prompt_number);
CREATE INDEX messages_by_prompt_id ON messages(prompt_id) WHERE prompt_id IS NOT NULL;

-- Ids are text: a session's is the agent's own, so that a link may name what has not been read yet.
CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  source_type TEXT NOT NULL,
  source_id TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  relationship TEXT NOT NULL CHECK (relationship IN ('mentions', 'related_to', 'continues', 'references', 'fixes', 'supersedes')),
  weight REAL NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  UNIQUE (source_type, source_id, target_type, target_id, relationship)
) STRICT;
CREATE INDEX links_by_target ON links(target_type, target_id);

CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  sha TEXT NOT NULL,
  branch TEXT,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, sha)
) STRICT;
CREATE INDEX commits_by_sha ON commits(sha);

CREATE TABLE sync_state (
  path TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  byte_offset INTEGER NOT NULL,           -- everything before it is in the database
  line INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,              -- of the file's first bytes and of those before the offset
  state TEXT NOT NULL,                    -- the reader's, as JSON
  malformed INTEGER NOT NULL DEFAULT 0,
  synced_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX prompts_by_time ON prompts(session_db_id, created_at);
CREATE INDEX tool_uses_by_turn ON tool_uses(session_db_id, prompt_number);

-- Search. One row per turn (rowid = prompts.id) and one per tool use (rowid = tool_uses.id). Contentless: what is indexed is
-- prepared in code, and rows are deleted by rowid and written anew when a turn grows. Filled when somebody is about to
-- search and at the end of a sync, never by a hook.
DROP TABLE prompts_fts;
DROP TABLE tool_uses_fts;
DROP VIEW tool_uses_indexed;
CREATE VIRTUAL TABLE turns_fts USING fts5(scope, prompt, answer, calls,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE tool_uses_fts USING fts5(scope, input, output,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

-- Turns that have changed since they were indexed, and the last tool use that was.
CREATE TABLE stale_turns (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE
) STRICT;
CREATE TABLE index_state (
  name TEXT PRIMARY KEY,
  last_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO index_state (name, last_id) VALUES ('tool_uses', 0);
INSERT INTO stale_turns SELECT id FROM prompts;
`,breaking:!0},{id:3,name:`memory`,sql:`-- Memory: what was worth knowing of the evidence. Every row names its evidence and its producer; all but what a person
-- wrote or changed can be deleted and derived again.

CREATE TABLE observations (
  id INTEGER PRIMARY KEY,
  project_id INTEGER REFERENCES projects(id),     -- NULL: holds for every project
  session_db_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- NULL: remembered by hand, outside any session
  prompt_number INTEGER,
  type TEXT NOT NULL CHECK (type IN ('decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change')),
  title TEXT NOT NULL,
  subtitle TEXT,
  narrative TEXT NOT NULL,
  facts TEXT NOT NULL,                            -- JSON array of sentences
  concepts TEXT NOT NULL,                         -- JSON array: how-it-works, why-it-exists, what-changed, ...
  files TEXT NOT NULL,                            -- JSON array of paths as in file_touches
  evidence TEXT NOT NULL,                         -- JSON array of item ids: "p12", "m34", "t56"
  origin TEXT NOT NULL CHECK (origin IN ('user', 'assistant', 'tool')), -- whose words it rests on: how far to trust it
  subject TEXT,                                   -- what it is about; of two with one subject the newer replaces the older
  producer TEXT NOT NULL,                         -- 'extractor', 'user', or '<provider>/<model>'
  prompt_hash TEXT,                               -- of the prompt a model was given
  content_hash TEXT NOT NULL,                     -- of what was derived; an edit does not change it
  is_current INTEGER NOT NULL DEFAULT 1,          -- 0: another producer's version of the same turn stands
  pinned INTEGER NOT NULL DEFAULT 0,
  edited_at INTEGER,
  superseded_by INTEGER REFERENCES observations(id) ON DELETE SET NULL,
  superseded_at INTEGER,                          -- when a person said so; NULL: settled by subject
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX observations_by_turn ON observations(session_db_id, prompt_number);
CREATE INDEX observations_by_project ON observations(project_id, valid_from);
CREATE INDEX observations_by_subject ON observations(project_id, subject) WHERE subject IS NOT NULL;
CREATE INDEX observations_by_successor ON observations(superseded_by) WHERE superseded_by IS NOT NULL;

-- One row per turn, and one rolling over the whole session (prompt_number 0).
CREATE TABLE summaries (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  request TEXT NOT NULL,
  investigated TEXT NOT NULL,
  learned TEXT NOT NULL,
  completed TEXT NOT NULL,
  next_steps TEXT NOT NULL,
  files_read TEXT NOT NULL,                       -- JSON array of paths
  files_edited TEXT NOT NULL,                     -- JSON array of paths
  notes TEXT NOT NULL,
  evidence TEXT NOT NULL,                         -- JSON array of item ids
  producer TEXT NOT NULL,
  prompt_hash TEXT,
  is_current INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, prompt_number, producer)
) STRICT;

-- What the agent itself calls a session is kept apart: title and subtitle are derived.
ALTER TABLE sessions ADD COLUMN agent_title TEXT;
UPDATE sessions SET agent_title = subtitle, subtitle = NULL WHERE parent_session_db_id IS NULL;

-- Turns whose evidence has changed since memory was derived from it.
CREATE TABLE stale_memory (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE
) STRICT;
INSERT INTO stale_memory SELECT id FROM prompts;

-- What the memory system itself spends. A request is entered before it is sent, at its estimate: a crash never hides a cost.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  day TEXT NOT NULL,                              -- local date, YYYY-MM-DD
  project_id INTEGER REFERENCES projects(id),
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,                          -- 'turn', 'session', ...
  request_hash TEXT NOT NULL,                     -- of the whole question: one that was answered need not be asked again
  status TEXT NOT NULL CHECK (status IN ('reserved', 'spent', 'failed', 'declined')), -- declined: not sent, over the budget
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_microusd INTEGER,                          -- NULL: the price is not known
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_day ON ledger(day, project_id);
CREATE INDEX ledger_by_request ON ledger(request_hash);

-- Providers nobody asks for the time being: after a refused login until something changes, after a rate limit for a while.
CREATE TABLE model_pauses (
  fingerprint TEXT PRIMARY KEY,                   -- of provider, model, address and key, one way
  kind TEXT NOT NULL,                             -- 'auth', 'rate-limit', ...
  message TEXT NOT NULL,
  times INTEGER NOT NULL,                         -- how often in a row: pauses grow
  until INTEGER,                                  -- NULL: until settings or key change, or a person says so
  created_at INTEGER NOT NULL
) STRICT;

-- What was forgotten, by hashes that say nothing of what it was: a later sync does not bring it back.
CREATE TABLE tombstones (
  kind TEXT NOT NULL,                             -- 'session', 'prompt', 'message', 'tool-use', 'observation', ...
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;

-- Work asked for again while it is being done is done once more; a lease belongs to the process that took it.
ALTER TABLE jobs ADD COLUMN owner TEXT;
ALTER TABLE jobs ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN done_at INTEGER;
ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0; -- how often a process died over it
-- Turns were jobs of their own once; a session's job does all that is stale now.
DELETE FROM jobs WHERE kind = 'turn';

-- The worker reads on in one session's files at a time.
CREATE INDEX sync_state_by_session ON sync_state(session_id);

CREATE VIRTUAL TABLE observations_fts USING fts5(scope, title, body, files,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

-- Whatever deletes an observation, nothing of it stays findable: ids are given out again.
CREATE TRIGGER observations_gone AFTER DELETE ON observations BEGIN
  DELETE FROM observations_fts WHERE rowid = old.id;
  DELETE FROM links WHERE source_type = 'observation' AND source_id = 'o' || old.id;
  DELETE FROM links WHERE target_type = 'observation' AND target_id = 'o' || old.id;
END;

-- Every row of an index carries its day from here on, so that days can be asked for one by one: all are written anew.
INSERT INTO turns_fts (turns_fts) VALUES ('delete-all');
INSERT INTO tool_uses_fts (tool_uses_fts) VALUES ('delete-all');
UPDATE index_state SET last_id = 0;
INSERT OR IGNORE INTO stale_turns SELECT id FROM prompts;
`,breaking:!0},{id:4,name:`efforts`,sql:`-- Links are derived like all memory: from rows that stay, for the sessions marked here.
CREATE TABLE stale_links (
  session_db_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  changed_from INTEGER                    -- its evidence has changed from here on: sessions that began later may have other links, too
) STRICT;

-- The agent's own word for what a session goes on with.
ALTER TABLE sessions ADD COLUMN plan TEXT;        -- the name of the plan it works on; handed on to the session that carries it out
ALTER TABLE sessions ADD COLUMN forked_from TEXT; -- the session_id its history was copied from

CREATE INDEX sessions_by_start ON sessions(project_id, started_at);
CREATE INDEX changes_by_path ON file_touches(path, created_at, session_db_id) WHERE kind <> 'read';
DROP INDEX links_by_target;
CREATE INDEX links_by_target ON links(target_type, target_id, created_at);

-- What capture has linked so far is made again.
DELETE FROM links WHERE source_type = 'session';
INSERT INTO stale_links SELECT id, NULL FROM sessions WHERE parent_session_db_id IS NULL AND prompt_count > 0;
`,breaking:!0},{id:5,name:`meaning`,sql:`-- Meaning: vectors of turns and observations, by the model that made them. Derived: all of it can be made again.

CREATE TABLE embedding_models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,                      -- the embedder's id: only vectors of one model can be compared
  dimensions INTEGER NOT NULL,
  is_wanted INTEGER NOT NULL,                     -- 0: serves only until the vectors of the wanted one are there
  created_at INTEGER NOT NULL
) STRICT;

-- Vectors side by side, 1,024 to a chunk: row by row, loading takes six times as long.
CREATE TABLE vector_chunks (
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  revision INTEGER NOT NULL,                      -- changes with every write
  owners BLOB NOT NULL,                           -- for each vector its session, 0 for none, as 32 bits
  records BLOB NOT NULL,
  PRIMARY KEY (model_id, number)
) STRICT;

-- What each place in the chunks holds. Without an item: free, to be written over.
CREATE TABLE vectors (
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  place INTEGER NOT NULL,                         -- chunk * 1024 + number within
  kind TEXT CHECK (kind IN ('turn', 'observation')),
  item_id INTEGER,                                -- prompts.id or observations.id
  PRIMARY KEY (model_id, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX vectors_by_item ON vectors(kind, item_id) WHERE item_id IS NOT NULL;
CREATE INDEX vectors_free ON vectors(model_id, place) WHERE item_id IS NULL;

-- What has no vector yet, or one of other words.
CREATE TABLE stale_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,           -- another one for every change: one that comes meanwhile is not overlooked
  kind TEXT NOT NULL CHECK (kind IN ('turn', 'observation')),
  item_id INTEGER NOT NULL,
  at INTEGER NOT NULL,                            -- the newest are embedded first
  UNIQUE (kind, item_id)
) STRICT;

CREATE INDEX stale_vectors_newest ON stale_vectors(at);

INSERT INTO stale_vectors (kind, item_id, at) SELECT 'turn', id, created_at FROM prompts;
INSERT INTO stale_vectors (kind, item_id, at) SELECT 'observation', id, valid_from FROM observations;

CREATE TRIGGER observations_to_embed AFTER INSERT ON observations BEGIN
  INSERT OR REPLACE INTO stale_vectors (kind, item_id, at) VALUES ('observation', new.id, new.valid_from);
END;

CREATE TRIGGER observations_to_embed_anew AFTER UPDATE OF title, subtitle, narrative, facts, is_current ON observations
WHEN new.title <> old.title OR new.subtitle IS NOT old.subtitle OR new.narrative <> old.narrative OR new.facts <> old.facts
  OR new.is_current <> old.is_current BEGIN
  INSERT OR REPLACE INTO stale_vectors (kind, item_id, at) VALUES ('observation', new.id, new.valid_from);
END;

-- Ids are given out again: nothing may be taken for the vector of what gets one of them.
CREATE TRIGGER observations_vectors_gone AFTER DELETE ON observations BEGIN
  UPDATE vectors SET kind = NULL, item_id = NULL WHERE kind = 'observation' AND item_id = old.id;
  DELETE FROM stale_vectors WHERE kind = 'observation' AND item_id = old.id;
END;

CREATE TRIGGER prompts_vectors_gone AFTER DELETE ON prompts BEGIN
  UPDATE vectors SET kind = NULL, item_id = NULL WHERE kind = 'turn' AND item_id = old.id;
  DELETE FROM stale_vectors WHERE kind = 'turn' AND item_id = old.id;
END;
`}];function Vi(e,t=Bi){let n=t.at(-1)?.id??0,r=Hi(e);r>n&&Ui(e,n),!(r>=n)&&V(e,()=>{e.exec(`CREATE TABLE IF NOT EXISTS migrations (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at INTEGER NOT NULL
) STRICT`);for(let{id:n,name:r,sql:i,breaking:a=!1}of t){let{changes:t}=e.run(`INSERT OR IGNORE INTO migrations (id, name, breaking, applied_at) VALUES (?, ?, ?, ?)`,n,r,Number(a),Date.now());t===1&&e.exec(i)}})}function Hi(e){return e.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'`)===void 0?0:e.get(`SELECT max(id) AS version FROM migrations`)?.version??0}function Ui(e,t){let n=e.get(`SELECT id FROM migrations WHERE id > ? AND breaking = 1`,t);if(n!==void 0)throw new B(`store_newer`,`The database was written by a newer c-mem (schema ${n.id}, this one knows ${t}).`,{hint:`Update this c-mem: npm install -g c-mem@latest, then c-mem install.`})}function Wi(n,r={}){In();try{(0,e.mkdirSync)((0,t.dirname)(n),{recursive:!0,mode:448}),(0,e.closeSync)((0,e.openSync)(n,`a`,384))}catch(e){throw qi(e,n)}let i=Mn(n,{busyTimeoutMs:r.busyTimeoutMs??5e3});try{return i.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;`),Vi(i),i}catch(e){throw i.close(),qi(e,n)}}const Gi={5:{code:`store_busy`,message:`is busy`,hint:`Another program is writing to it. Try again in a moment.`},8:{code:`store_unwritable`,message:`cannot be written`,hint:`Check the permissions of the folder and the disk.`},10:{code:`store_io`,message:`cannot be read or written`,hint:`Check the disk.`},11:{code:`store_damaged`,message:`is damaged`,hint:`Move it away and run: c-mem sync (what the transcripts hold comes back).`},13:{code:`disk_full`,message:`cannot grow: the disk is full`,hint:`Free some space. Nothing in it is lost.`},14:{code:`store_unwritable`,message:`cannot be opened`,hint:`Check the permissions of the folder.`},26:{code:`store_damaged`,message:`is not a database`,hint:`Move it away and run: c-mem sync (what the transcripts hold comes back).`}},Ki={EROFS:8,EACCES:14,EPERM:14,ENOSPC:13,EDQUOT:13,EIO:10};function qi(e,t){let{errcode:n,code:r=``}=e,i=Gi[(n??Ki[r]??0)&255];return i===void 0?e:new B(i.code,`${t} ${i.message}.`,{hint:i.hint,cause:e})}function Ji(n,r,i){try{(0,e.mkdirSync)((0,t.dirname)(n),{recursive:!0,mode:448}),((0,e.statSync)(n,{throwIfNoEntry:!1})?.size??0)>i&&(0,e.renameSync)(n,`${n}.1`),(0,e.appendFileSync)(n,`${JSON.stringify(r)}\n`,{mode:384})}catch{}}function Yi(e,t,n){let{code:r,message:i}=n;Ji(e,{at:(/* @__PURE__ */ new Date()).toISOString(),hook:t,code:typeof r==`string`?r:`error`,message:j(String(i??n),500)},262144)}function Xi(e,t,n){let r={answer:void 0,injection:void 0};if(e.activity.kind!==`session-start`)return r;try{let i=Zi(t),a=wn(i,e.project.key);if(a===void 0)return r;let{text:o,itemIds:s}=Mi(i,{project:a,source:e.activity.source,sessionId:e.sessionId,maxChars:n.contextMaxChars,sessions:n.contextSessions,now:e.at});return o===``?r:{answer:{hookSpecificOutput:{hookEventName:`SessionStart`,additionalContext:o}},injection:{surface:`session-start`,itemIds:s,chars:o.length,tokens:Ti(o)}}}catch(e){return Yi(t.hookLog,`context`,e),r}}function Zi(e){let t;try{return t=Wi(e.database,{busyTimeoutMs:100}),ii(t,e.spool,{maxMs:60}),t}catch(n){return Yi(e.hookLog,`context`,n),t??Mn(e.database,{readOnly:!0,busyTimeoutMs:100})}}function Qi(e){let t=Dn(e,process.env);if(t===void 0)return!1;let{spawnSync:n}=process.getBuiltinModule(`node:child_process`),{status:r}=n(t,process.argv.slice(1,3),{stdio:`inherit`,timeout:8e3,windowsHide:!0,env:{...process.env,C_MEM_HANDED_OVER:`1`}});return r===0}function $i(e){let t=new Date(e);return`${t.getFullYear()}-${ea(t.getMonth()+1)}-${ea(t.getDate())}`}function ea(e){return String(e).padStart(2,`0`)}function ta(e){try{let t=JSON.parse(N(e)??``);return typeof t?.sessions==`number`?t:void 0}catch{return}}function na(e,t){let n=ta(e.activity);if(n===void 0)return`C-Mem: ready`;let r=n.queue.pending+n.queue.running+ra(e.spool);return[`C-Mem: ${n.sessions.toLocaleString(`en`)} session${n.sessions===1?``:`s`}`,...r>0?[`${r} waiting`]:[],...n.queue.failed>0?[`${n.queue.failed} failed`]:[],...ia(n,t)].join(` · `)}function ra(e){return Pt(e).filter(e=>e.endsWith(`.json`)).length}function ia({spent:{day:e,tokens:t,usd:n}},r){return e!==$i(r)||t===0?[]:n===0?[`${Math.ceil(t/1e3)}k tokens today`]:[`${n<.01?`<$0.01`:`$${n.toFixed(2)}`} today`]}function aa(e,t,n){let{workspace:r,cwd:i}=n??{},a=r?.current_dir??i;return typeof a==`string`&&Tn(a,e.config,t).isExcluded?`C-Mem is off here`:na(e,Date.now())}const oa=134217728,sa=65536;function ca(){let e=[],t=0;for(;;){let n=Buffer.allocUnsafe(e.length===0?sa:sa*16),r=la(n);if(r===0)return Buffer.concat(e,t).toString(`utf8`);if(e.push(n.subarray(0,r)),t+=r,t>oa)throw Error(`stdin is over ${oa} bytes`)}}function la(t){for(;;)try{return(0,e.readSync)(0,t)}catch(e){let t=e.code;if(t===`EOF`)return 0;if(t!==`EAGAIN`)throw e;Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,2)}}const ua={bundle:(0,t.join)(__dirname,`worker.cjs`),canRun:Nn},da={continue:!0,suppressOutput:!0};function fa(e,t){let n=Date.now(),r=kt(t),i=e===`context`?{}:da;try{if(e===`context`&&!Nn()&&Qi(r.install))return;let a=me({command:e,payload:ga(ca()),cwd:ha,at:n,env:t});a?.activity.kind===`checkpoint`&&(i=void 0),a!==void 0&&(i=pa(e,a,r,t)??i)}catch(t){Yi(r.hookLog,e,t)}return i}function pa(e,t,n,r){let i=Tn(t.cwd,n.config,r);if(i.isExcluded||ma(n.privateTurns,t))return;let a=Qt(t,i);if(a===void 0)return;a.hook=e;let o=Xi(a,n,i.settings);return o.injection!==void 0&&(a.injection=o.injection),ln(n.spool,a),i.settings.worker&&kn(n,ua),o.answer}function ma(e,t){let{activity:n,sessionId:r}=t;switch(n.kind){case`prompt`:return be(n.text)?(nn(e,r,n.promptId),!0):(rn(e,r),!1);case`session-end`:case`session-start`:return!1;default:return tn(e,t)}}function ha(){try{return process.cwd()}catch{return`/`}}function ga(e){if(e.trim()===``)return{};try{return JSON.parse(e)}catch{throw new B(`bad_payload`,`stdin is not JSON (${e.length} characters)`)}}function _a(e){let t=kt(e);try{return aa(t,e,ga(ca()))}catch{return aa(t,e,void 0)}}try{let t=process.argv[2]??``,n=t===`statusline`?_a(process.env):fa(t,process.env);n!==void 0&&(0,e.writeSync)(1,`${typeof n==`string`?n:JSON.stringify(n)}\n`)}catch{}process.exit(0);