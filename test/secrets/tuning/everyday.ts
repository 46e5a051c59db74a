// Everyday developer texts with made-up credentials, and near-misses. The filter is tuned on these.
import type { Corpus } from "../measure-corpus.ts";

export const CORPUS: Corpus = {
  secrets: [
    {
      kind: "vendor",
      text:
        "$ aws configure list-profiles && cat ~/.aws/credentials\ndefault\n[default]\naws_access_key_id = AK" +
        "IAMJQZJ7IISP76ZZCR\naws_secret_access_key = yHFUW3LuZ6GA1cCs5DJr65Fuhw8xyYhquexGa140\nregion = eu-central-1",
      values: ["AK" + "IAMJQZJ7IISP76ZZCR", "yHFUW3LuZ6GA1cCs5DJr65Fuhw8xyYhquexGa140"],
    },
    {
      kind: "vendor",
      text:
        "$ git remote -v\norigin\thttps://gh" +
        "p_IG4EenPKWEGaCKhz698fLW5egLtDD4JVmOlM@github.com/lindqvist/orders-api.git (fetch)\nupstream\tgit@github.com:lindqvist-org/orders-api.git (fetch)",
      values: ["gh" + "p_IG4EenPKWEGaCKhz698fLW5egLtDD4JVmOlM"],
    },
    {
      kind: "vendor",
      text:
        '{\n  "access_token": "gh' +
        'o_3Xh5FOdyprIBgb5BGD4MRc4M9OYzz3p5Zls0",\n  "token_type": "bearer",\n  "scope": "repo,gist"\n}',
      values: ["gh" + "o_3Xh5FOdyprIBgb5BGD4MRc4M9OYzz3p5Zls0"],
    },
    {
      kind: "vendor",
      text:
        "$ gh auth status --show-token\ngithub.com\n  ✓ Logged in to github.com account mlindqvist (keyring)\n  - Git operations protocol: https\n  - Token: gi" +
        "thub_pat_11A9N9E06210bGWsX4g1LkC_iuQPpCZfraYzeV0B0kYDs4PI9JdV7t7IbDa8MZcdYVUyzYgpq2MoI0M7QRC",
      values: ["gi" + "thub_pat_11A9N9E06210bGWsX4g1LkC_iuQPpCZfraYzeV0B0kYDs4PI9JdV7t7IbDa8MZcdYVUyzYgpq2MoI0M7QRC"],
    },
    {
      kind: "vendor",
      text:
        '2024-11-05T08:14:22.1180412Z git -c http.extraheader="AUTHORIZATION: basic ***" fetch\n2024-11-05T08:14:22.4410203Z remote url is https://x-access-token:gh' +
        "s_w4YFAfxcohoK3jir0GH25FKKVo13j0lnSg3j@github.com/acorn-labs/infra",
      values: ["gh" + "s_w4YFAfxcohoK3jir0GH25FKKVo13j0lnSg3j"],
    },
    {
      kind: "vendor",
      text: "can you clone the repo with this? glab says 401 for me: gl" + "pat-UruOUwtv8BBYyoMJBxZI",
      values: ["gl" + "pat-UruOUwtv8BBYyoMJBxZI"],
    },
    {
      kind: "vendor",
      text: '[[runners]]\n  name = "build-03"\n  url = "https://gitlab.birkenhof.net"\n  token = "glrt-GUeo1DGwc5YG0E8VxXqH"\n  executor = "docker"',
      values: ["glrt-GUeo1DGwc5YG0E8VxXqH"],
    },
    {
      kind: "vendor",
      text:
        "const { WebClient } = require('@slack/web-api')\nconst web = new WebClient('xo" +
        "xb-709810060072-9686213381560-qPgnQ3BCKokcO7YW5KjoTHMA')\nawait web.chat.postMessage({ channel: 'C04NQ1', text: 'deployed' })",
      values: ["xo" + "xb-709810060072-9686213381560-qPgnQ3BCKokcO7YW5KjoTHMA"],
    },
    {
      kind: "vendor",
      text:
        "curl -s -d token=xo" +
        "xp-630431553611-276666685551-4095513042417-edd232ee435fd66905ff32dac9957136 -d channel=general https://slack.com/api/conversations.history | jq .",
      values: ["xo" + "xp-630431553611-276666685551-4095513042417-edd232ee435fd66905ff32dac9957136"],
    },
    {
      kind: "vendor",
      text:
        "[bolt] starting socket mode with xa" +
        "pp-1-A0ETRQF5D7B-9472804895111-597a55a9451c91e5f7fcbfa14be120acd10a51fa5cde4cc14333637f1957a3a5 (attempt 2)",
      values: [
        "xa" + "pp-1-A0ETRQF5D7B-9472804895111-597a55a9451c91e5f7fcbfa14be120acd10a51fa5cde4cc14333637f1957a3a5",
      ],
    },
    {
      kind: "vendor",
      text:
        "notify:\n  - type: slack\n    url: https://ho" +
        "oks.slack.com/services/T0TANZSS5FZ/B0QHUC0EIA8/DUvgfQ6oyV5j7sxLiTMIGV2v\n    on: failure",
      values: ["DUvgfQ6oyV5j7sxLiTMIGV2v"],
    },
    {
      kind: "vendor",
      text:
        'stripe.api_key = "sk' +
        '_live_51IMRvOW07ItojWK3Tm7yV8XpFJGWKwJeMN4MzvRa7W1jDb4CQ5Na3a0LZE5cB0FeUXywXcx7NgIsWU8aPfkuKOkxEhmLSw1jnl"\ncharge = stripe.Charge.create(amount=1299, currency="eur", source=tok)',
      values: [
        "sk" +
          "_live_51IMRvOW07ItojWK3Tm7yV8XpFJGWKwJeMN4MzvRa7W1jDb4CQ5Na3a0LZE5cB0FeUXywXcx7NgIsWU8aPfkuKOkxEhmLSw1jnl",
      ],
    },
    {
      kind: "vendor",
      text:
        "$ curl https://api.stripe.com/v1/balance -u rk" +
        '_live_51FLdo5j8fcPCxjI9vRPmMBtHYxBg9sU:\n{ "object": "balance", "livemode": true }',
      values: ["rk" + "_live_51FLdo5j8fcPCxjI9vRPmMBtHYxBg9sU"],
    },
    {
      kind: "vendor",
      text:
        "> Ready! You are using Stripe API Version [2024-06-20]. Your webhook signing secret is wh" +
        "sec_BSrTv7zGW6KYBt4dJDgW3Kt9XhZS4RUQ (^C to quit)",
      values: ["wh" + "sec_BSrTv7zGW6KYBt4dJDgW3Kt9XhZS4RUQ"],
    },
    {
      kind: "vendor",
      text: "TWILIO_ACCOUNT_SID=AC0f1d5a2e7b9c4d3e8f6a1b2c3d4e5f60\nTWILIO_AUTH_TOKEN=f3dba9944f14af7fd31a4adc8746fa9b",
      values: ["f3dba9944f14af7fd31a4adc8746fa9b"],
    },
    {
      kind: "vendor",
      text: 'sgMail.setApiKey("SG' + '.50EEZj9S79-G3BiuJLCaQ7.yGi2xxyYaZCD6frYxpjwQ5PIY2KUUPRKM-s5p-ghsLx");',
      values: ["SG" + ".50EEZj9S79-G3BiuJLCaQ7.yGi2xxyYaZCD6frYxpjwQ5PIY2KUUPRKM-s5p-ghsLx"],
    },
    {
      kind: "vendor",
      text:
        "curl -s --user 'api:ke" +
        "y-7ebc72b38a00746f3f9506aff19ab47f' https://api.mailgun.net/v3/mg.kiefernweg.org/messages -F to=ops@kiefernweg.org",
      values: ["ke" + "y-7ebc72b38a00746f3f9506aff19ab47f"],
    },
    {
      kind: "vendor",
      text: "mailchimp:\n  server: us14\n  api_key: 6428d20b50b12a0bd4a3972bc5c66ba8-us14",
      values: ["6428d20b50b12a0bd4a3972bc5c66ba8-us14"],
    },
    {
      kind: "vendor",
      text:
        "openai.AuthenticationError: Error code: 401 - {'error': {'message': 'Incorrect API key provided: sk" +
        "-proj-SYtsfRkCJChHiCXbhBNK3tA1m8FxLfKIN8SCo4oU1tT_tnwCo9SDpr6B8o1wmMEvLE2dgbjHloT3BlbkFJNSfGESwO7Zqcpu_FXZJ4w1D8NspEId73Wbq9xm6uTiIEIkyreDWJReqpYB25rRrafvrMYj9YhQ. You can find your API key at https://platform.openai.com/account/api-keys.'}}",
      values: [
        "sk" +
          "-proj-SYtsfRkCJChHiCXbhBNK3tA1m8FxLfKIN8SCo4oU1tT_tnwCo9SDpr6B8o1wmMEvLE2dgbjHloT3BlbkFJNSfGESwO7Zqcpu_FXZJ4w1D8NspEId73Wbq9xm6uTiIEIkyreDWJReqpYB25rRrafvrMYj9YhQ",
      ],
    },
    {
      kind: "vendor",
      text:
        "$ env | grep -i anthropic\nANTHROPIC_API_KEY=sk" +
        "-ant-api03-dMxU0vytBhKpFMWS87-YkxrQnwQaYqQ94BsFGCOPyB9ck1Yn8bFGlRoXBAmVLZUlkfNKcdDj7wxyV7FW5ck2KGqf14Y6qAA\nANTHROPIC_MODEL=claude-sonnet-4",
      values: [
        "sk" +
          "-ant-api03-dMxU0vytBhKpFMWS87-YkxrQnwQaYqQ94BsFGCOPyB9ck1Yn8bFGlRoXBAmVLZUlkfNKcdDj7wxyV7FW5ck2KGqf14Y6qAA",
      ],
    },
    {
      kind: "vendor",
      text:
        "use my openrouter key sk" +
        "-or-v1-684539c60dc1e4e86f90411b393c9b86edb9d91329fa0bddb49fa091dc439e31 for the eval run and keep it under 5 dollars",
      values: ["sk" + "-or-v1-684539c60dc1e4e86f90411b393c9b86edb9d91329fa0bddb49fa091dc439e31"],
    },
    {
      kind: "vendor",
      text:
        "GET https://maps.googleapis.com/maps/api/geocode/json?address=Lyon&key=AI" +
        "zaSysDPhuhVSsAE0pPRvqizUxuCxCX2PfSuUB 200 OK 182ms",
      values: ["AI" + "zaSysDPhuhVSsAE0pPRvqizUxuCxCX2PfSuUB"],
    },
    {
      kind: "vendor",
      text: '{"installed":{"client_id":"480213377451-q0l.apps.googleusercontent.com","project_id":"crm-sync","client_secret":"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","redirect_uris":["http://localhost"]}}',
      values: ["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"],
    },
    {
      kind: "vendor",
      text: "$ az storage account show-connection-string -n lagerdaten -o tsv\nDefaultEndpointsProtocol=https;AccountName=lagerdaten;AccountKey=0cqROodl1I8r3bPiGMSl5B063pFEb5O1Fb8ujhp1om2ysJR5GKvFKZjukZ6eRFZ04jQH7Ekl5AKLYh57x6qCTO==;EndpointSuffix=core.windows.net",
      values: ["0cqROodl1I8r3bPiGMSl5B063pFEb5O1Fb8ujhp1om2ysJR5GKvFKZjukZ6eRFZ04jQH7Ekl5AKLYh57x6qCTO=="],
    },
    {
      kind: "vendor",
      text: 'azcopy copy ./dump.bak "https://lagerdaten.blob.core.windows.net/backups?sv=2022-11-02&ss=b&srt=co&sp=rwl&se=2025-03-01T00:00:00Z&sig=6mudxtgtqpDbhPfsdMc49tWdV/yPMrNM1a3aPkNs%2BSVK%3D"',
      values: ["6mudxtgtqpDbhPfsdMc49tWdV/yPMrNM1a3aPkNs%2BSVK%3D"],
    },
    {
      kind: "vendor",
      text: '{\n  "appId": "7d0c41a2-90a1-4f7b-9a0e-6f0d51d9be5c",\n  "displayName": "sp-terraform-prod",\n  "password": "el38Q~9JFWFuL5dYmMJ6VSllg6QOGFZ7A8WhEFgx",\n  "tenant": "0bd1f4c8-5c5e-4a22-8d57-2f9f1c7a8e30"\n}',
      values: ["el38Q~9JFWFuL5dYmMJ6VSllg6QOGFZ7A8WhEFgx"],
    },
    {
      kind: "vendor",
      text:
        "$ cat .npmrc\n@acorn:registry=https://npm.pkg.acorn.dev/\n//registry.npmjs.org/:_authToken=np" +
        "m_lO806MpY05Run4ivd8CShLYtFjd6UmGwdcob\nsave-exact=true",
      values: ["np" + "m_lO806MpY05Run4ivd8CShLYtFjd6UmGwdcob"],
    },
    {
      kind: "vendor",
      text:
        "[pypi]\nusername = __token__\npassword = py" +
        "pi-AgEIcHlwaS5vcmcCtpWKfyBcQAwaYRyazKNlCSTkdhf6_PjlbCevGqhw6kXizLsG-ldeeF0W-i9qsp1c8rUm1Dv-_X6wiTOh4We9TKH2jf84Mr1-O3n3Vxad9EH_EPj9U7J6csAIb6w-bHoFVo17XtAACQHp",
      values: [
        "py" +
          "pi-AgEIcHlwaS5vcmcCtpWKfyBcQAwaYRyazKNlCSTkdhf6_PjlbCevGqhw6kXizLsG-ldeeF0W-i9qsp1c8rUm1Dv-_X6wiTOh4We9TKH2jf84Mr1-O3n3Vxad9EH_EPj9U7J6csAIb6w-bHoFVo17XtAACQHp",
      ],
    },
    {
      kind: "vendor",
      text: "---\n:rubygems_api_key: rubygems_31630f3b2352b0fb32879600beec7b6157bd8337dab2fad8",
      values: ["rubygems_31630f3b2352b0fb32879600beec7b6157bd8337dab2fad8"],
    },
    {
      kind: "vendor",
      text: '$ cat ~/.cargo/credentials.toml\n[registry]\ntoken = "cioniWgFkpBaBUfVo4gAVTQyoNUhdqCfr9n"',
      values: ["cioniWgFkpBaBUfVo4gAVTQyoNUhdqCfr9n"],
    },
    {
      kind: "vendor",
      text: "echo dckr_pat_1KlDDAwbP9a5oBIw-O8YznipcBG | docker login -u birkenhof --password-stdin\nLogin Succeeded",
      values: ["dckr_pat_1KlDDAwbP9a5oBIw-O8YznipcBG"],
    },
    {
      kind: "vendor",
      text:
        "doctl auth init -t do" +
        "p_v1_1b5083a404c36d12fc94dad919c01fc309f13ed057db4a0c8e05fdc5c66a3716\nValidating token... OK",
      values: ["do" + "p_v1_1b5083a404c36d12fc94dad919c01fc309f13ed057db4a0c8e05fdc5c66a3716"],
    },
    {
      kind: "vendor",
      text: "$ heroku auth:token\n ›   Warning: token will expire 08/14/2025\nHRKU-dc9940b3-85b1-41e4-a85f-59415c2a4c15",
      values: ["HRKU-dc9940b3-85b1-41e4-a85f-59415c2a4c15"],
    },
    {
      kind: "vendor",
      text: 'curl -X GET "https://api.cloudflare.com/client/v4/zones" \\\n  -H "X-Auth-Email: ops@kiefernweg.org" \\\n  -H "X-Auth-Key: d02041cf710da4224f7985ab8d0193bb516e9"',
      values: ["d02041cf710da4224f7985ab8d0193bb516e9"],
    },
    {
      kind: "vendor",
      text: "CLOUDFLARE_API_TOKEN=_O3NQst3C0Da_Gz1leu5H5A28cVp5XGrSs_qn6xS wrangler deploy --env production",
      values: ["_O3NQst3C0Da_Gz1leu5H5A28cVp5XGrSs_qn6xS"],
    },
    {
      kind: "vendor",
      text: "datadog:\n  site: datadoghq.eu\n  apiKey: 7b1ec174052b3b616dacfb3b92f34cff\n  appKey: d5b31126d21f26ef7aaf54184cfddcc70a374140\n  logs:\n    enabled: true",
      values: ["7b1ec174052b3b616dacfb3b92f34cff", "d5b31126d21f26ef7aaf54184cfddcc70a374140"],
    },
    {
      kind: "vendor",
      text:
        "newrelic install -n infrastructure-agent-installer   # with NEW_RELIC_API_KEY=NR" +
        "AK-YGJ4EXKC84TAAPXPNNC602SSXHK",
      values: ["NR" + "AK-YGJ4EXKC84TAAPXPNNC602SSXHK"],
    },
    {
      kind: "vendor",
      text:
        "[auth]\ntoken=sntrys_ey" +
        "JpYXQiOjE3MClphmHBuscuZp0gtOJVHLzKY7tzL0FxboEULu7OTddyj0LhtpHxtykvGBFln2UItrjgJSC2nFgmLcvE_MlWnIYZH9LvB44Mw5N_jGHEA_Kr6qOJwYWI5Zlr4uZ-\n\n[defaults]\norg=acorn-labs\nproject=web",
      values: [
        "sntrys_ey" +
          "JpYXQiOjE3MClphmHBuscuZp0gtOJVHLzKY7tzL0FxboEULu7OTddyj0LhtpHxtykvGBFln2UItrjgJSC2nFgmLcvE_MlWnIYZH9LvB44Mw5N_jGHEA_Kr6qOJwYWI5Zlr4uZ-",
      ],
    },
    {
      kind: "vendor",
      text:
        "fetch('https://api.linear.app/graphql', { headers: { Authorization: 'li" +
        "n_api_SSA7lfOxU4piT2YTfVf31PKMAfNQndfBmqsllFL9' } })",
      values: ["li" + "n_api_SSA7lfOxU4piT2YTfVf31PKMAfNQndfBmqsllFL9"],
    },
    {
      kind: "vendor",
      text: 'notion = Client(auth="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")',
      values: ["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"],
    },
    {
      kind: "vendor",
      text: 'base = Airtable::Client.new("patoNckL9IZCbZCQj.abcb5baa228e555664975f4b1c8e2cf85f16f355352c9ec4c083c70d93125c21").base("appQ3k8")',
      values: ["patoNckL9IZCbZCQj.abcb5baa228e555664975f4b1c8e2cf85f16f355352c9ec4c083c70d93125c21"],
    },
    {
      kind: "vendor",
      text: "http GET https://api.figma.com/v1/me X-FIGMA-TOKEN:fi" + "gd_HusCqUcZsF6igL6uDqTWexC8CEFSMMeZY4gPEEE4",
      values: ["fi" + "gd_HusCqUcZsF6igL6uDqTWexC8CEFSMMeZY4gPEEE4"],
    },
    {
      kind: "vendor",
      text: 'from huggingface_hub import login\nlogin("hf' + '_AGMlvXAHVZJqFYcYjRftTOZgKGAhK9vuG7")  # write scope',
      values: ["hf" + "_AGMlvXAHVZJqFYcYjRftTOZgKGAhK9vuG7"],
    },
    {
      kind: "vendor",
      text: "In [3]: os.environ[\"REPLICATE_API_TOKEN\"]\nOut[3]: 'r8_ZiiWS5paUGhTieGEyJCVYNcH9Spw1xYXfs3ND'",
      values: ["r8_ZiiWS5paUGhTieGEyJCVYNcH9Spw1xYXfs3ND"],
    },
    {
      kind: "vendor",
      text: "GROQ_API_KEY: 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\nPERPLEXITY_API_KEY: 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",
      values: [
        "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",
        "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",
      ],
    },
    {
      kind: "vendor",
      text: 'INFO httpx: HTTP Request: POST https://api.telegram.org/bot9257662283:AAEVZNTQsAXPv9dFUa51-qD2sHTvyU6RiMV/getUpdates "HTTP/1.1 200 OK"',
      values: ["9257662283:AAEVZNTQsAXPv9dFUa51-qD2sHTvyU6RiMV"],
    },
    {
      kind: "vendor",
      text: "client.run('MTEt25oLJOZ8BpXfB9sEB4g4E4.GP9Pru.2bfUueOEs2sPa-FqmZvlNuG1pzjd2ncfHRiQd5')",
      values: ["MTEt25oLJOZ8BpXfB9sEB4g4E4.GP9Pru.2bfUueOEs2sPa-FqmZvlNuG1pzjd2ncfHRiQd5"],
    },
    {
      kind: "vendor",
      text:
        "webhook: https://di" +
        "scord.com/api/webhooks/1133146129805195312/SEesto_J6ZMfQ3oxF6JNqyrkXAE-MJC8tnPgZbpwn1Vypkcnc_hqBawGnzRkoc8VsgXl",
      values: ["SEesto_J6ZMfQ3oxF6JNqyrkXAE-MJC8tnPgZbpwn1Vypkcnc_hqBawGnzRkoc8VsgXl"],
    },
    {
      kind: "vendor",
      text:
        'curl -H "X-Shopify-Access-Token: sh' +
        'pat_d3390b2da9010b6f0aba973029bb0ae2" https://kiefern-shop.myshopify.com/admin/api/2024-07/shop.json',
      values: ["sh" + "pat_d3390b2da9010b6f0aba973029bb0ae2"],
    },
    {
      kind: "vendor",
      text: "$square = new SquareClient(['accessToken' => 'EAAAE6U__d0Mqw-N8lLJ_oLzUc9bTVqflXtY7Kkbf-1z3Pah9N2gIMv-ZSjXswB_', 'environment' => 'production']);",
      values: ["EAAAE6U__d0Mqw-N8lLJ_oLzUc9bTVqflXtY7Kkbf-1z3Pah9N2gIMv-ZSjXswB_"],
    },
    {
      kind: "vendor",
      text: "doppler run --token=dp.pt.SM8jKdMXkkLfppp1RSpzRyJPZzvNxZQoLeYORD2bviJ -- npm start",
      values: ["dp.pt.SM8jKdMXkkLfppp1RSpzRyJPZzvNxZQoLeYORD2bviJ"],
    },
    {
      kind: "vendor",
      text:
        "Key                  Value\n---                  -----\ntoken                hv" +
        's.CAESI06D95hq6VjtiOzYUTm8ZZTqgW_WQ_JviU3aPaDxJ8gnyQumLZtbzfGKerUFRZjUUnGGEu_vt8ew5KOzAabnAewiUVx\ntoken_accessor       Q2hMt7dX0aYvEw9uP4rLk8sN\ntoken_duration       768h\ntoken_renewable      true\ntoken_policies       ["default" "deploy"]',
      values: [
        "hv" + "s.CAESI06D95hq6VjtiOzYUTm8ZZTqgW_WQ_JviU3aPaDxJ8gnyQumLZtbzfGKerUFRZjUUnGGEu_vt8ew5KOzAabnAewiUVx",
      ],
    },
    {
      kind: "vendor",
      text: '{\n  "credentials": {\n    "app.terraform.io": {\n      "token": "X6VfgiRPJgqmBA.atlasv1.BLAh5EMVxcngQlEvnVw5JA8Su4xSruv1buLO5JRDDYl5xsMfjtJcFBZZx9kFnP7UA55"\n    }\n  }\n}',
      values: ["X6VfgiRPJgqmBA.atlasv1.BLAh5EMVxcngQlEvnVw5JA8Su4xSruv1buLO5JRDDYl5xsMfjtJcFBZZx9kFnP7UA55"],
    },
    {
      kind: "vendor",
      text: "PULUMI_ACCESS_TOKEN=pul-03d9d6dfc8e89ad3e9fadeec02f85645a3ee14ce pulumi up --yes --stack acorn/prod",
      values: ["pul-03d9d6dfc8e89ad3e9fadeec02f85645a3ee14ce"],
    },
    {
      kind: "vendor",
      text:
        "[DEFAULT]\nhost = https://adb-2099.9.azuredatabricks.net\ntoken = da" + "pi821c8539fd47fc57a660685d25b2d8f8",
      values: ["da" + "pi821c8539fd47fc57a660685d25b2d8f8"],
    },
    {
      kind: "vendor",
      text: "pscale connect orders main --service-token-id 8fq2 --service-token pscale_tkn_0Az39EpRm5enrOHn2mxN83mvWGIOXkIm6U5ejX_aNFu",
      values: ["pscale_tkn_0Az39EpRm5enrOHn2mxN83mvWGIOXkIm6U5ejX_aNFu"],
    },
    {
      kind: "vendor",
      text: "supabase login --token sbp_c6c438c99dd9ad8b7c24ecb52b915d61bd26742b\nnetlify deploy --prod --auth nfp_iXgCZvsT4hQJA9O0e7TcnzmOQamJG9gUDbk6",
      values: ["sbp_c6c438c99dd9ad8b7c24ecb52b915d61bd26742b", "nfp_iXgCZvsT4hQJA9O0e7TcnzmOQamJG9gUDbk6"],
    },
    {
      kind: "vendor",
      text:
        "grafana-cli says unauthorized, I pasted gl" +
        "sa_Zfa08hQL7iltZcQAItVjP95YyXqWrRMh_3171bf04 into the header, is that the right one?",
      values: ["gl" + "sa_Zfa08hQL7iltZcQAItVjP95YyXqWrRMh_3171bf04"],
    },
    {
      kind: "vendor",
      text:
        "newman run https://api.getpostman.com/collections/118?apikey=PM" +
        "AK-634cd1748523368a8b4967b5-46707d397063d25f0c5451a5190cf4d44d",
      values: ["PM" + "AK-634cd1748523368a8b4967b5-46707d397063d25f0c5451a5190cf4d44d"],
    },
    {
      kind: "vendor",
      text:
        'jira:\n  user: m.lindqvist@birkenhof.net\n  api_token: "AT' +
        'ATT3xFfGF0XFInsnV2wE5YQbzRframBALrBfyon26Kfi_Dz3UtMUiS6bGETsT3GcSpVYUwDx2gJ8Ki2p9m5xfzXOXWDrxHHHEFQvORoNNWUmEwz4RM35Ha8mpD7pKnhJSTeVt1QKeWWhHn5TRS0-FO1JbFIdPEJaQQnXnnZ1m_Jv9VhRgLGd=6C9796FB"',
      values: [
        "AT" +
          "ATT3xFfGF0XFInsnV2wE5YQbzRframBALrBfyon26Kfi_Dz3UtMUiS6bGETsT3GcSpVYUwDx2gJ8Ki2p9m5xfzXOXWDrxHHHEFQvORoNNWUmEwz4RM35Ha8mpD7pKnhJSTeVt1QKeWWhHn5TRS0-FO1JbFIdPEJaQQnXnnZ1m_Jv9VhRgLGd=6C9796FB",
      ],
    },
    {
      kind: "vendor",
      text: "fatal: unable to access 'https://mlindqvist:ATBBotMeJROki2gj16PTJX4pnZsR5PLd8Dqc@bitbucket.org/birkenhof/billing.git/': The requested URL returned error: 403",
      values: ["ATBBotMeJROki2gj16PTJX4pnZsR5PLd8Dqc"],
    },
    {
      kind: "vendor",
      text: "curl -H 'Authorization: SSWS 00QoRBc4Y2KYtuSRbNgxNvYt65t8LPpnRPEkJ76FPt' https://birkenhof.okta.com/api/v1/users",
      values: ["00QoRBc4Y2KYtuSRbNgxNvYt65t8LPpnRPEkJ76FPt"],
    },
    {
      kind: "vendor",
      text:
        "# created: 2024-02-18T10:31:07+01:00\n# public key: age1tn0q8w3y5r7u2l4m6k8j0h9g7f5d3s1a2z4x6c8v0b2n4m6q8wsdk4yh\nAG" +
        "E-SECRET-KEY-15LD7RFRV8VJCX2ZLZL6W2WN4GJHJWG9PVEQPFPPE2XZ7LR350C7XADCDRW",
      values: ["AG" + "E-SECRET-KEY-15LD7RFRV8VJCX2ZLZL6W2WN4GJHJWG9PVEQPFPPE2XZ7LR350C7XADCDRW"],
    },
    {
      kind: "vendor",
      text: "mvn sonar:sonar -Dsonar.host.url=https://sonar.birkenhof.net -Dsonar.token=sqp_a67ac2df44d570781b1f3de1a9dbbf9325816264",
      values: ["sqp_a67ac2df44d570781b1f3de1a9dbbf9325816264"],
    },
    {
      kind: "vendor",
      text: 'export BUILDKITE_API_TOKEN="bkua_8464cd98d128ca46fa9d5eb1467944e9a81b8c99"',
      values: ["bkua_8464cd98d128ca46fa9d5eb1467944e9a81b8c99"],
    },
    {
      kind: "vendor",
      text:
        "sudo tailscale up --authkey tske" +
        "y-auth-kd1HJsNeRCNCNTRL-zn51N8RKg6vcQ8h7fFIcSCxmbEueIb7Z --hostname build-03",
      values: ["tske" + "y-auth-kd1HJsNeRCNCNTRL-zn51N8RKg6vcQ8h7fFIcSCxmbEueIb7Z"],
    },
    {
      kind: "vendor",
      text: "dbx = dropbox.Dropbox('sl.BcuuxBLQulD9S3UP-DR3qxpewqxWADOz176j7iXeP_EwABmONFX-T-1vCK1Zv8kLjsIXJ12AwlkkfilaDcQx7GR5ZbeDBWbpgfcYRN3cMBEPmkzLcXxiDxpObkBQ39zUZWo')",
      values: [
        "sl.BcuuxBLQulD9S3UP-DR3qxpewqxWADOz176j7iXeP_EwABmONFX-T-1vCK1Zv8kLjsIXJ12AwlkkfilaDcQx7GR5ZbeDBWbpgfcYRN3cMBEPmkzLcXxiDxpObkBQ39zUZWo",
      ],
    },
    {
      kind: "vendor",
      text: "https://graph.facebook.com/v19.0/me/accounts?access_token=EAAGW9bDytRfSFNY7C3FFU4eSFDpmbtUXJmEoSqgoPbe2xI6UmIfyh0TXHF6tRol8UpCgTFK2wB4CmoPVkDloTaKzI6wg7yOMmd1gHVyNREqGmjQuaY6LkUhtUXN&fields=name",
      values: [
        "EAAGW9bDytRfSFNY7C3FFU4eSFDpmbtUXJmEoSqgoPbe2xI6UmIfyh0TXHF6tRol8UpCgTFK2wB4CmoPVkDloTaKzI6wg7yOMmd1gHVyNREqGmjQuaY6LkUhtUXN",
      ],
    },
    {
      kind: "vendor",
      text: "contentful space export --space-id k3x --management-token CFPAT-auR6zOkjZbQOPpsfrCoLSBx5FWybfFAl4U6wcjfQB91",
      values: ["CFPAT-auR6zOkjZbQOPpsfrCoLSBx5FWybfFAl4U6wcjfQB91"],
    },
    {
      kind: "vendor",
      text: 'const resend = new Resend("re_5YeCro9Q_xZzTkobrflFFkwA5VwK1Hl16");',
      values: ["re_5YeCro9Q_xZzTkobrflFFkwA5VwK1Hl16"],
    },
    {
      kind: "vendor",
      text: 'ldclient.set_config(Config("sdk-6d480c87-2953-4523-bcfc-fa1462b24438"))  # LaunchDarkly SDK key, production',
      values: ["sdk-6d480c87-2953-4523-bcfc-fa1462b24438"],
    },
    {
      kind: "vendor",
      text: "POSTHOG_PERSONAL_API_KEY='phx_1AEfngRnFlezL4LcVHQ5vOL75teEPCQ3xiRGVp1j4MD'",
      values: ["phx_1AEfngRnFlezL4LcVHQ5vOL75teEPCQ3xiRGVp1j4MD"],
    },
    {
      kind: "vendor",
      text: "jf rt ping --url https://artifacts.birkenhof.net --apikey AKCp8c82kjjfogH3Jq2WSLr4NFEX0MYPB7GrWJHMEeUpScqAb52GrvYHyVnhx0F9ApyGC1qGT",
      values: ["AKCp8c82kjjfogH3Jq2WSLr4NFEX0MYPB7GrWJHMEeUpScqAb52GrvYHyVnhx0F9ApyGC1qGT"],
    },
    {
      kind: "vendor",
      text: '{"model":"grok-2","api_key":"xai-i7gzBgjbiynbAyH1refKPOpD7A7nbC7ZeTGFSehy30H4ahMtCwlm60zi8OHw9Q3bwG9Vqq0g5JoHV3h8","messages":[]}',
      values: ["xai-i7gzBgjbiynbAyH1refKPOpD7A7nbC7ZeTGFSehy30H4ahMtCwlm60zi8OHw9Q3bwG9Vqq0g5JoHV3h8"],
    },
    {
      kind: "cloud-cli",
      text:
        '{\n    "Credentials": {\n        "AccessKeyId": "AS' +
        'IAIJTO5WJJX2VOJ4L6",\n        "SecretAccessKey": "dH7UcQvUK26L98Z//WqOV255IL36DQfja+Ew+o6v",\n        "SessionToken": "IQoJb3JpZ2luX2VjEiIM0lTiAwsklRouCHNPc+GijW8NFE2duSPdleZlm3S9FpbG9lC1yRfl6DQKszuosPBSgQpDJ8EIowyaLXs49EVoSpv11TpcljdXvLX+tnHTtmi7S7U0a+kOUXuG2uHfd3uT/NeThN+tNwNzrKDA2K233tW56M7cG",\n        "Expiration": "2025-01-09T17:42:11+00:00"\n    }\n}',
      values: [
        "dH7UcQvUK26L98Z//WqOV255IL36DQfja+Ew+o6v",
        "IQoJb3JpZ2luX2VjEiIM0lTiAwsklRouCHNPc+GijW8NFE2duSPdleZlm3S9FpbG9lC1yRfl6DQKszuosPBSgQpDJ8EIowyaLXs49EVoSpv11TpcljdXvLX+tnHTtmi7S7U0a+kOUXuG2uHfd3uT/NeThN+tNwNzrKDA2K233tW56M7cG",
      ],
    },
    {
      kind: "cloud-cli",
      text:
        "$ gcloud auth print-access-token\nya" +
        "29.a0A8nnNGvHtfdounf2r3Uhd3GT2XHihaigALRPbLTaWRCTZ1ulHDLBcXmTXcAeoJo1q6p4vZD3P9m3UfykwbGdr1AhBJ8f4ygeRxMuATKDVBV8K6DiXe3zfDPt5MNfJSTZXizshC37Ji5Dgfz3l5-d2RT",
      values: [
        "ya" +
          "29.a0A8nnNGvHtfdounf2r3Uhd3GT2XHihaigALRPbLTaWRCTZ1ulHDLBcXmTXcAeoJo1q6p4vZD3P9m3UfykwbGdr1AhBJ8f4ygeRxMuATKDVBV8K6DiXe3zfDPt5MNfJSTZXizshC37Ji5Dgfz3l5-d2RT",
      ],
    },
    {
      kind: "cloud-cli",
      text: '{\n  "account": "",\n  "client_id": "480213377451-q0l7n2v5.apps.googleusercontent.com",\n  "refresh_token": "1//0ertbzAb7Emlo9x00o9KgTLU0K_7xZmeijB1NLLc-FgClFw5cpbo41FreZdKOa",\n  "type": "authorized_user"\n}',
      values: ["1//0ertbzAb7Emlo9x00o9KgTLU0K_7xZmeijB1NLLc-FgClFw5cpbo41FreZdKOa"],
    },
    {
      kind: "cloud-cli",
      text: '$ aws secretsmanager get-secret-value --secret-id prod/orders/db --query SecretString --output text\n{"username":"orders_rw","password":"Tmb7-quarz-Holunder","engine":"postgres","port":5432}',
      values: ["Tmb7-quarz-Holunder"],
    },
    {
      kind: "cloud-cli",
      text: '$ aws ssm get-parameter --name /prod/db/password --with-decryption\n{\n    "Parameter": {\n        "Name": "/prod/db/password",\n        "Type": "SecureString",\n        "Value": "wR8!tonnerre22",\n        "Version": 4\n    }\n}',
      values: ["wR8!tonnerre22"],
    },
    {
      kind: "cloud-cli",
      text: "$ az keyvault secret show --vault-name kv-lager --name smtp-password --query value -o tsv\nNebelhorn.77.Kran",
      values: ["Nebelhorn.77.Kran"],
    },
    {
      kind: "cloud-cli",
      text: "$ heroku config -a kiefern-shop\n=== kiefern-shop Config Vars\nLANG:             en_US.UTF-8\nSECRET_KEY_BASE:  dd13a1f4eeb50ff00cb8c35ce32dc0f1b3a87046b040ae2bf00a21c073cd977e\nSMTP_PASSWORD:    lindenblatt94",
      values: ["dd13a1f4eeb50ff00cb8c35ce32dc0f1b3a87046b040ae2bf00a21c073cd977e", "lindenblatt94"],
    },
    {
      kind: "cloud-cli",
      text: "$ kubectl get secret orders-db -o jsonpath='{.data.password}' | base64 -d\nZwirn&Faden_2031",
      values: ["Zwirn&Faden_2031"],
    },
    {
      kind: "cloud-cli",
      text: "$ gcloud sql users create report --instance=pg-main --password=Sturmwarnung6\nCreating Cloud SQL user...done.\nCreated user [report].",
      values: ["Sturmwarnung6"],
    },
    {
      kind: "cloud-cli",
      text: '$ vercel env pull --environment=production && cat .env.local\n# Created by Vercel CLI\nAUTH_SECRET="ODpKBv+qRuiN6XbVPifb2IryFXh6xNtcWYIIA5a9eck="\nNX_DAEMON="false"',
      values: ["ODpKBv+qRuiN6XbVPifb2IryFXh6xNtcWYIIA5a9eck="],
    },
    {
      kind: "cloud-cli",
      text: "$ aws ecr get-login --no-include-email\ndocker login -u AWS -p 2VP0G5vj4ADuwbTzVbelVshpQfAq9F3xqAdt44QJRRWS1qWh https://48021337.dkr.ecr.eu-west-1.amazonaws.com",
      values: ["2VP0G5vj4ADuwbTzVbelVshpQfAq9F3xqAdt44QJRRWS1qWh"],
    },
    {
      kind: "jwt",
      text:
        "DEBUG gateway: forwarding request headers={'authorization': 'Bearer ey" +
        "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
        "JzdWIiOiI0ODgxNyIsInJvbGUiOiJhZG1pbiIsImlhdCI6MTczMDc5MDAwMCwiZXhwIjoxNzMwNzkzNjAwfQ.0T2ZWOe99sF9J5x5cI1OpLqIKBJ2ScgIpByMI5q2p3A', 'accept': '*/*'}",
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
          "JzdWIiOiI0ODgxNyIsInJvbGUiOiJhZG1pbiIsImlhdCI6MTczMDc5MDAwMCwiZXhwIjoxNzMwNzkzNjAwfQ.0T2ZWOe99sF9J5x5cI1OpLqIKBJ2ScgIpByMI5q2p3A",
      ],
    },
    {
      kind: "jwt",
      text:
        "SUPABASE_URL=https://kqpzrvtn.supabase.co\nSUPABASE_SERVICE_ROLE_KEY=ey" +
        "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
        "Jpc3MiOiJzdXBhYmFzZSIsInJlZiI6ImtxcHpydnRuIiwicm9sZSI6InNlcnZpY2Vfcm9sZSIsImV4cCI6MjA0NTAwMDAwMH0.sSHTBEcqGBNaqQ8rt6NMTEdM-_F5Q-MRsELs-IyYqKe",
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
          "Jpc3MiOiJzdXBhYmFzZSIsInJlZiI6ImtxcHpydnRuIiwicm9sZSI6InNlcnZpY2Vfcm9sZSIsImV4cCI6MjA0NTAwMDAwMH0.sSHTBEcqGBNaqQ8rt6NMTEdM-_F5Q-MRsELs-IyYqKe",
      ],
    },
    {
      kind: "jwt",
      text:
        "ws://localhost:4000/socket?vsn=2.0.0&jwt=ey" +
        "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
        "J1aWQiOiJ1Xzc3Iiwic2NvcGUiOlsicmVhZCIsIndyaXRlIl0sImV4cCI6MTc0MDAwMDAwMH0.HeeXDTxt5Qz0qct8g4gXsKsEjQl3rXebwkpYXpfGLQW",
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
          "J1aWQiOiJ1Xzc3Iiwic2NvcGUiOlsicmVhZCIsIndyaXRlIl0sImV4cCI6MTc0MDAwMDAwMH0.HeeXDTxt5Qz0qct8g4gXsKsEjQl3rXebwkpYXpfGLQW",
      ],
    },
    {
      kind: "jwt",
      text:
        "here is what the login endpoint returns, why does verify() fail?\n\ney" +
        "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
        "JzdWIiOiJhbm5hIiwiZXhwIjoxNzUwMDAwMDAwfQ.HeeXDTxt5Qz0qct8g4gXsKsEjQl3rXebwkpYXpfGLQW",
      values: [
        "ey" +
          "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
          "JzdWIiOiJhbm5hIiwiZXhwIjoxNzUwMDAwMDAwfQ.HeeXDTxt5Qz0qct8g4gXsKsEjQl3rXebwkpYXpfGLQW",
      ],
    },
    {
      kind: "pem",
      text:
        "$ cat deploy_rsa\n--" +
        "---BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEADkyUesjEHgFEZcoxqzKYN+Fy9h9VAaarj6g8TkOVDf2WLnV5\nWtwbFdyVe9sclirVYHdA9OZB/VTJEQCyNlayMcmJJ2/lsPeHsgaYJrfm25fBQ/ot\naERsWbWzRdVgnv5AnQCRXgaBfF6jHxG3+OP2DFCXXZn+jwv7w9wCO0uB/rZpBi5h\nOVaa4B0CrC6uiEacYt6uZpmQots6mwtQUKkryEYsP6HD5XUB8XZgHufBbzjaE+Ls\nivVooCgoFari3VprAvLbxzEBxZW2aVXJWSPLQK0J0PCBPrdX1yk2vqEgHdELlEOG\nMwKPH99HdsF9Bb/+9jLWxHPdOhiryIZSisi3/S543rWicMxmtSOCiuPDK2KnjG3y\nKgu+azZ0K9rzsLSTHR9FIR8vcn1fuMlcMH8cRQN7SxeWk91ibxHm8AwfJbpSDLTF\nmwk/HcWHWCBDMuRip3nNeV5JPI2Nub==\n-----END RSA PRIVATE KEY-----",
      values: [
        "MIIEpAIBAAKCAQEADkyUesjEHgFEZcoxqzKYN+Fy9h9VAaarj6g8TkOVDf2WLnV5",
        "WtwbFdyVe9sclirVYHdA9OZB/VTJEQCyNlayMcmJJ2/lsPeHsgaYJrfm25fBQ/ot",
        "aERsWbWzRdVgnv5AnQCRXgaBfF6jHxG3+OP2DFCXXZn+jwv7w9wCO0uB/rZpBi5h",
        "OVaa4B0CrC6uiEacYt6uZpmQots6mwtQUKkryEYsP6HD5XUB8XZgHufBbzjaE+Ls",
        "ivVooCgoFari3VprAvLbxzEBxZW2aVXJWSPLQK0J0PCBPrdX1yk2vqEgHdELlEOG",
        "MwKPH99HdsF9Bb/+9jLWxHPdOhiryIZSisi3/S543rWicMxmtSOCiuPDK2KnjG3y",
        "Kgu+azZ0K9rzsLSTHR9FIR8vcn1fuMlcMH8cRQN7SxeWk91ibxHm8AwfJbpSDLTF",
        "mwk/HcWHWCBDMuRip3nNeV5JPI2Nub==",
      ],
    },
    {
      kind: "pem",
      text:
        '{\n  "type": "service_account",\n  "project_id": "crm-sync",\n  "private_key_id": "75487916edb5a4bf8f0394045a360e5312b19340",\n  "private_key": "--' +
        '---BEGIN PRIVATE KEY-----\\nMIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQqlacEeekLh5ITI\\nGBAJhuvD9BKr5gtR9hMqdXh3Y1at5dyckvjP1BcNsPK6jXZgsPkicnjJ1bKqojHD\\nBSkpYdIAfxNdtaj3kW/f9BnlYcWlZ0SLuKfiKQJKD2obr68ONKjYEpxGU68ZptfD\\nPSDcm2NxLUsuVyJsq8+1YELFO8p9crfVCXkOwMOn8HHluCLoQs7r6f4Lzj/ayki/\\nA8Ge1nY6b5/1Qzwm+XPyRYhy84MDhpS+g1XkCEg86jwOEkbIsFNmkqR+RYAiGTnu\\npllNtLshfbNUk400qMRv7yK4Zww2qwCVXnk0PipWuDwZyqNPCgdfWfFd8h7G2ltV\\nX2vuvzbyqx/gzqFsj1OnM4Yr/tQoQF36eSx8dlSIat==\\n-----END PRIVATE KEY-----\\n",\n  "client_email": "sync@crm-sync.iam.gserviceaccount.com"\n}',
      values: [
        "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQqlacEeekLh5ITI",
        "GBAJhuvD9BKr5gtR9hMqdXh3Y1at5dyckvjP1BcNsPK6jXZgsPkicnjJ1bKqojHD",
        "BSkpYdIAfxNdtaj3kW/f9BnlYcWlZ0SLuKfiKQJKD2obr68ONKjYEpxGU68ZptfD",
        "PSDcm2NxLUsuVyJsq8+1YELFO8p9crfVCXkOwMOn8HHluCLoQs7r6f4Lzj/ayki/",
        "A8Ge1nY6b5/1Qzwm+XPyRYhy84MDhpS+g1XkCEg86jwOEkbIsFNmkqR+RYAiGTnu",
        "pllNtLshfbNUk400qMRv7yK4Zww2qwCVXnk0PipWuDwZyqNPCgdfWfFd8h7G2ltV",
        "X2vuvzbyqx/gzqFsj1OnM4Yr/tQoQF36eSx8dlSIat==",
      ],
    },
    {
      kind: "pem",
      text:
        "tls:\n  key: |\n    --" +
        "---BEGIN EC PRIVATE KEY-----\n    MHcCAQEEI4u6kRN/k6vwSWNEkVugInjNbtcnonzlBz4QJUB+buG9V6UjJ1aWKWkS\n    34hF336P1dk2RKcNoBtQ08PsoQU77RCiKoa8x0lZ4gzVP/y+mmhGzTGnbgsv3xd3\n    By0t+vI+N5D4jCgrUbievJl7ogM273==\n    -----END EC PRIVATE KEY-----\n  port: 8443",
      values: [
        "MHcCAQEEI4u6kRN/k6vwSWNEkVugInjNbtcnonzlBz4QJUB+buG9V6UjJ1aWKWkS",
        "34hF336P1dk2RKcNoBtQ08PsoQU77RCiKoa8x0lZ4gzVP/y+mmhGzTGnbgsv3xd3",
        "By0t+vI+N5D4jCgrUbievJl7ogM273==",
      ],
    },
    {
      kind: "pem",
      text:
        "     1\t--" +
        "---BEGIN OPENSSH PRIVATE KEY-----\n     2\tb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ+87xEAESfV+IWpZK3NS2dz\n     3\t6ctYVgM/NiXaP18TRadAurEk9v4puD4EsJEPNbhlXkdXOeE7udqq4ATxcgTX/ddL\n     4\tTWP+qGOlSeeiIksyo8lj3aATNhJp+W9gjlT+o2PZ8X0LgB/VIsriuGFHh/cjXDhB\n     5\teRFnAVyFo7WOhg3BuExpj7T53xjeSZhSAZj9L9KnPbVOm/M7GGaVPPmZVXzv9Foh\n     6\tBI/6XSxjV7bdWzDFIdEyDansmxGBTrAtHgBxNN2P4m/LZptffaczuw6dzLxPiJkj\n     7\t9SvMm1DK3g+SA4VWo1Zbk0==\n     8\t-----END OPENSSH PRIVATE KEY-----",
      values: [
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ+87xEAESfV+IWpZK3NS2dz",
        "6ctYVgM/NiXaP18TRadAurEk9v4puD4EsJEPNbhlXkdXOeE7udqq4ATxcgTX/ddL",
        "TWP+qGOlSeeiIksyo8lj3aATNhJp+W9gjlT+o2PZ8X0LgB/VIsriuGFHh/cjXDhB",
        "eRFnAVyFo7WOhg3BuExpj7T53xjeSZhSAZj9L9KnPbVOm/M7GGaVPPmZVXzv9Foh",
        "BI/6XSxjV7bdWzDFIdEyDansmxGBTrAtHgBxNN2P4m/LZptffaczuw6dzLxPiJkj",
        "9SvMm1DK3g+SA4VWo1Zbk0==",
      ],
    },
    {
      kind: "pem",
      text:
        "gpg --export-secret-keys --armor ops@kiefernweg.org\n--" +
        "---BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBGXktKLOgNGyGERIDiIsbbDLakdHt1oyVKPNrA3gQVXAlwR2dGBHviPihKAw\nkZcKLnHQ9MdYrKVgqIWo0SPZab7g/jpo+De/iALv2/fHZSqSayhm0lKrZq6SzSdH\nC9nTBeFXUfAxBp/IgP7tW7dlDjOPlaGsIJcSfcT4hCm5MaQmpH03wXOeuT82xrCJ\nAalBa6ILq2R8zzCmO1coH93yru6I73XcjeZGcBsK/N1cPgKwpIKqVWb8jV7e5zXK\nUfraCMDcWpUUIMNJ9zJoMhaTROffaG2+o5adAh8dB6L19DvGja6TUzhLzBcpyZu1\nxZXVAQPHC56+FR3A99rIDr==\n=Qx7d\n-----END PGP PRIVATE KEY BLOCK-----",
      values: [
        "lQOYBGXktKLOgNGyGERIDiIsbbDLakdHt1oyVKPNrA3gQVXAlwR2dGBHviPihKAw",
        "kZcKLnHQ9MdYrKVgqIWo0SPZab7g/jpo+De/iALv2/fHZSqSayhm0lKrZq6SzSdH",
        "C9nTBeFXUfAxBp/IgP7tW7dlDjOPlaGsIJcSfcT4hCm5MaQmpH03wXOeuT82xrCJ",
        "AalBa6ILq2R8zzCmO1coH93yru6I73XcjeZGcBsK/N1cPgKwpIKqVWb8jV7e5zXK",
        "UfraCMDcWpUUIMNJ9zJoMhaTROffaG2+o5adAh8dB6L19DvGja6TUzhLzBcpyZu1",
        "xZXVAQPHC56+FR3A99rIDr==",
      ],
    },
    {
      kind: "pem",
      text:
        "diff --git a/ssl/server.key b/ssl/server.key\nnew file mode 100600\n--- /dev/null\n+++ b/ssl/server.key\n@@ -0,0 +1,8 @@\n+--" +
        "---BEGIN ENCRYPTED PRIVATE KEY-----\n+MIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQInuoGseG1/28cTJFd\n+uAuRwLlFoW9n3Sl+/aZTIDdWhUl/K+Ru1LENf4tSH+PzfiwqNgFfWPe5fma0E0iI\n++kSvlsL+mzyKrSLZvZ7+cZw9/RrS1MSskEq7FNjwtp8Vpr1ehDxumKbDX2KZ2nnt\n+bd6fgb7gnYXeYTifbDTD2vNqwS2NOpfQ4xDpc16AjT623cMxEW+iyJo/6ftyt341\n+rqB/Y+YApVq7WvKQyGGeg5bpcLE9PeLEBn2oJbAAdGnZqOqcRdEOKxRsOOQjADA/\n+ZP7076xU3GXSu09aYaWpYF==\n+-----END ENCRYPTED PRIVATE KEY-----",
      values: [
        "MIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQInuoGseG1/28cTJFd",
        "uAuRwLlFoW9n3Sl+/aZTIDdWhUl/K+Ru1LENf4tSH+PzfiwqNgFfWPe5fma0E0iI",
        "+kSvlsL+mzyKrSLZvZ7+cZw9/RrS1MSskEq7FNjwtp8Vpr1ehDxumKbDX2KZ2nnt",
        "bd6fgb7gnYXeYTifbDTD2vNqwS2NOpfQ4xDpc16AjT623cMxEW+iyJo/6ftyt341",
        "rqB/Y+YApVq7WvKQyGGeg5bpcLE9PeLEBn2oJbAAdGnZqOqcRdEOKxRsOOQjADA/",
        "ZP7076xU3GXSu09aYaWpYF==",
      ],
    },
    {
      kind: "connection-string",
      text: "DATABASE_URL=postgres://orders_rw:Kranich7Feder@db.internal:5432/orders?sslmode=require",
      values: ["Kranich7Feder"],
    },
    {
      kind: "connection-string",
      text: "sqlalchemy.exc.OperationalError: could not connect with mysql+pymysql://root:velvet-Hammer@10.0.4.12/crm",
      values: ["velvet-Hammer"],
    },
    {
      kind: "connection-string",
      text: "mongoose.connect('mongodb+srv://svc-report:gR4pes0fWr@cluster0.k2x9q.mongodb.net/report?retryWrites=true')",
      values: ["gR4pes0fWr"],
    },
    { kind: "connection-string", text: 'REDIS_URL: "redis://:mondschein@cache:6379/2"', values: ["mondschein"] },
    {
      kind: "connection-string",
      text: "celery -A jobs worker --broker amqps://jobs:p%40ssage%21Nord@rabbit.birkenhof.net:5671/prod",
      values: ["p%40ssage%21Nord"],
    },
    {
      kind: "connection-string",
      text: '"ConnectionStrings": {\n  "Default": "Server=tcp:sql-lager.database.windows.net,1433;Initial Catalog=Lager;User ID=lageradmin;Password=Mühle&Rad#12;Encrypt=True;"\n}',
      values: ["Mühle&Rad#12"],
    },
    {
      kind: "connection-string",
      text: "jdbc:oracle:thin:scott_app/T1gerLily@//ora01.birkenhof.net:1521/ORCLPDB1",
      values: ["T1gerLily"],
    },
    {
      kind: "connection-string",
      text: "spring.datasource.url=jdbc:mysql://db:3306/crm?user=crm&password=sonnen.blume.feld&useSSL=false",
      values: ["sonnen.blume.feld"],
    },
    {
      kind: "connection-string",
      text: 'psql "host=db.internal port=5432 dbname=orders user=report password=Herbstlaub3 sslmode=verify-full"',
      values: ["Herbstlaub3"],
    },
    {
      kind: "connection-string",
      text: "ftp> open ftp://webmaster:Hollow.Oak@ftp.kiefernweg.org/htdocs",
      values: ["Hollow.Oak"],
    },
    {
      kind: "connection-string",
      text: "smtp_url = smtps://noreply%40kiefernweg.org:bRamble_9@mail.kiefernweg.org:465",
      values: ["bRamble_9"],
    },
    {
      kind: "connection-string",
      text: "http_proxy=http://buildbot:Ofenrohr!@proxy.birkenhof.net:3128 apt-get update",
      values: ["Ofenrohr!"],
    },
    {
      kind: "connection-string",
      text: "Endpoint=sb://orders-bus.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=3dXS0WpB5mxbucEzlCO5zQVOG6mgL0kKo8JHaJcpXyj=",
      values: ["3dXS0WpB5mxbucEzlCO5zQVOG6mgL0kKo8JHaJcpXyj="],
    },
    {
      kind: "connection-string",
      text: 'failed to connect to `host=/var/run user=app database=crm`: dsn was "app:gletscherspalte@tcp(127.0.0.1:3306)/crm?parseTime=true"',
      values: ["gletscherspalte"],
    },
    { kind: "connection-string", text: "rtsp://viewer:Dachs2019@192.168.4.31:554/stream1", values: ["Dachs2019"] },
    {
      kind: "auth-header",
      text: 'curl -H "Authorization: Bearer l0NlbR03nRmhpslUqpx7hIqL5tLsUAAk3jF4Bg6HY4I" https://api.birkenhof.net/v2/orders',
      values: ["l0NlbR03nRmhpslUqpx7hIqL5tLsUAAk3jF4Bg6HY4I"],
    },
    {
      kind: "auth-header",
      text: "> GET /v1/me HTTP/1.1\n> Host: api.kiefernweg.org\n> Authorization: Basic cmVwb3J0ZXI6V2Fzc2VyZmFsbDg4\n> User-Agent: curl/8.4.0",
      values: ["cmVwb3J0ZXI6V2Fzc2VyZmFsbDg4"],
    },
    {
      kind: "auth-header",
      text: 'requests.get(url, headers={"Authorization": "Token d02041cf710da4224f7985ab8d0193bb516e92e0"})',
      values: ["d02041cf710da4224f7985ab8d0193bb516e92e0"],
    },
    {
      kind: "auth-header",
      text: "http PUT :9200/_cluster/settings 'X-Api-Key: G8KkO78fZj189jFPH7ltgjSTuzqEqlRL'",
      values: ["G8KkO78fZj189jFPH7ltgjSTuzqEqlRL"],
    },
    {
      kind: "auth-header",
      text: "headers: {\n    'Content-Type': 'application/json',\n    'PRIVATE-TOKEN': 'sq5T8FUtkbLPhlWnSiyZ1Y2o',\n}",
      values: ["sq5T8FUtkbLPhlWnSiyZ1Y2o"],
    },
    {
      kind: "auth-header",
      text: "proxy-authorization: Basic YnVpbGRib3Q6bm9yZGxpY2h0LTEx",
      values: ["YnVpbGRib3Q6bm9yZGxpY2h0LTEx"],
    },
    {
      kind: "auth-header",
      text: "Authorization: ApiKey VnVhQ2ZHY0JDZGJrUW06dWkybHAyYXhUTm1zeWFrdzl0dk5udw==",
      values: ["VnVhQ2ZHY0JDZGJrUW06dWkybHAyYXhUTm1zeWFrdzl0dk5udw=="],
    },
    {
      kind: "auth-header",
      text: '[{"key":"X-Auth-Token","value":"KYz0MRpAewHG2QkocSc6Fgo7K8MDmvl0ohfE8Ufd","type":"text"}]',
      values: ["KYz0MRpAewHG2QkocSc6Fgo7K8MDmvl0ohfE8Ufd"],
    },
    {
      kind: "basic-auth",
      text: "wget --http-user=ops --http-password=eichhorn_nuss https://files.kiefernweg.org/dump.sql.gz",
      values: ["eichhorn_nuss"],
    },
    {
      kind: "basic-auth",
      text: "curl -u admin:Zitronenfalter http://localhost:15672/api/overview",
      values: ["Zitronenfalter"],
    },
    {
      kind: "basic-auth",
      text: "curl --user \"elastic:pQ7*marble\" -XGET 'https://es01:9200/_cat/indices?v'",
      values: ["pQ7*marble"],
    },
    { kind: "basic-auth", text: 'auth=HTTPBasicAuth("jenkins", "tinder/box/4")', values: ["tinder/box/4"] },
    {
      kind: "basic-auth",
      text: "curl -sS -uadmin:roter.Oktober https://nexus.birkenhof.net/service/rest/v1/status",
      values: ["roter.Oktober"],
    },
    {
      kind: "basic-auth",
      text: "axios.get(url, { auth: { username: 'sync', password: 'maple&Syrup' } })",
      values: ["maple&Syrup"],
    },
    {
      kind: "cookie",
      text: "Cookie: lang=de; sessionid=89xculab0vud2pdhto5gmbungn7mxtyq; csrftoken=D8vZ1sEuNDCerQMnQsBFfZd9Lz",
      values: ["89xculab0vud2pdhto5gmbungn7mxtyq"],
    },
    {
      kind: "cookie",
      text: "< HTTP/1.1 302 Found\n< Set-Cookie: PHPSESSID=D8vZ1sEuNDCerQMnQsBFfZd9Lz; path=/; HttpOnly\n< Location: /dashboard",
      values: ["D8vZ1sEuNDCerQMnQsBFfZd9Lz"],
    },
    {
      kind: "cookie",
      text: "curl 'https://intern.birkenhof.net/api/users' -b 'connect.sid=s%3AN6KH5HMJ9dufgmAq4HFubyinSGC3GF4gcjfzID16Zy0AF-glnmGY0xsY_dSzmWhL; theme=dark'",
      values: ["N6KH5HMJ9dufgmAq4HFubyinSGC3GF4gcjfzID16Zy0AF-glnmGY0xsY_dSzmWhL"],
    },
    {
      kind: "cookie",
      text: "# Netscape HTTP Cookie File\n.birkenhof.net\tTRUE\t/\tTRUE\t1767225600\tsession_token\t97493a01747553abcd3cc3ca0dde69aa4f10b465",
      values: ["97493a01747553abcd3cc3ca0dde69aa4f10b465"],
    },
    {
      kind: "netrc",
      text: "machine git.birkenhof.net\n  login mlindqvist\n  password Feuerstein_40\nmachine api.heroku.com login ops@kiefernweg.org password f6e64642e9bfcc0a5d3d3803ee98f278",
      values: ["Feuerstein_40", "f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    {
      kind: "netrc",
      text: "$ cat ~/.netrc\nmachine artifacts.birkenhof.net login ci password !Tauwetter",
      values: ["!Tauwetter"],
    },
    {
      kind: "pgpass",
      text: "$ cat ~/.pgpass\ndb.internal:5432:orders:orders_rw:Seerose?blau\n*:*:*:postgres:kupferdraht",
      values: ["Seerose?blau", "kupferdraht"],
    },
    {
      kind: "pgpass",
      text: 'echo "10.2.0.7:5432:crm:crm_owner:Drosselbart1" >> ~/.pgpass && chmod 600 ~/.pgpass',
      values: ["Drosselbart1"],
    },
    {
      kind: "docker-config",
      text: '{\n  "auths": {\n    "registry.birkenhof.net": {\n      "auth": "Y2ktcHVzaDpEaXN0ZWxmaW5rKzM="\n    }\n  }\n}',
      values: ["Y2ktcHVzaDpEaXN0ZWxmaW5rKzM="],
    },
    {
      kind: "git-credentials",
      text: "$ cat ~/.git-credentials\nhttps://mlindqvist:Wolkenbruch%2B1@git.birkenhof.net",
      values: ["Wolkenbruch%2B1"],
    },
    {
      kind: "env-file",
      text: "NODE_ENV=production\nDB_PASSWORD=Silberdistel\nDB_HOST=db.internal",
      values: ["Silberdistel"],
    },
    {
      kind: "env-file",
      text: 'APP_NAME=Lager\nAPP_KEY=base64:ODpKBv+qRuiN6XbVPifb2IryFXh6xNtcWYIIA5a9eck=\nMAIL_PASSWORD="warm tea at noon"\nMAIL_PORT=587',
      values: ["ODpKBv+qRuiN6XbVPifb2IryFXh6xNtcWYIIA5a9eck=", "warm tea at noon"],
    },
    {
      kind: "env-file",
      text: "# local overrides\nSESSION_SECRET='!crow over the mill'\nLOG_LEVEL=debug",
      values: ["!crow over the mill"],
    },
    { kind: "env-file", text: "SMTP_PASS=@Morgentau", values: ["@Morgentau"] },
    { kind: "env-file", text: "ADMIN_PWD=#Rhabarber7\nADMIN_USER=root", values: ["#Rhabarber7"] },
    { kind: "env-file", text: "POSTGRES_PASSWORD=$teinbock12\nPOSTGRES_DB=crm", values: ["$teinbock12"] },
    { kind: "env-file", text: "LDAP_BIND_PW = %Uhrwerk%Nord", values: ["%Uhrwerk%Nord"] },
    {
      kind: "env-file",
      text: "ENCRYPTION_KEY=dd9ed0c8f45c21a03714f779d59b87bd6bc203d74c9ab6b6fe0c32c7a153b9e6\nENCRYPTION_ALGO=aes-256-gcm",
      values: ["dd9ed0c8f45c21a03714f779d59b87bd6bc203d74c9ab6b6fe0c32c7a153b9e6"],
    },
    { kind: "env-file", text: "JWT_SECRET=tulip.garden.gate\nJWT_EXPIRES_IN=3600", values: ["tulip.garden.gate"] },
    { kind: "env-file", text: "REDIS_PASSWORD=qaz/wsx/edc\nREDIS_PORT=6379", values: ["qaz/wsx/edc"] },
    {
      kind: "env-file",
      text: "export DJANGO_SECRET_KEY='k7$w(q=2^z!m+9@x_lr#n0v&b4c8*h1t'",
      values: ["k7$w(q=2^z!m+9@x_lr#n0v&b4c8*h1t"],
    },
    { kind: "env-file", text: "MYSQL_ROOT_PASSWORD=kxqwrt", values: ["kxqwrt"] },
    {
      kind: "env-file",
      text: "FTP_USER=web\r\nFTP_PASSWORD=Stoppelfeld\r\nFTP_HOST=ftp.kiefernweg.org\r\n",
      values: ["Stoppelfeld"],
    },
    {
      kind: "env-file",
      text: "APIKEY_PAYMENTS=G8KkO78fZj189jFPH7ltgjSTuzqEqlRL\nPAYMENTS_URL=https://pay.birkenhof.net",
      values: ["G8KkO78fZj189jFPH7ltgjSTuzqEqlRL"],
    },
    {
      kind: "env-file",
      text: "NEXTAUTH_SECRET=VIdBR+QfoNr4Jcwn6CCNMk==\nGRAFANA_ADMIN_PASSWORD=Kesselflicker",
      values: ["VIdBR+QfoNr4Jcwn6CCNMk==", "Kesselflicker"],
    },
    {
      kind: "shell-export",
      text: "export PGPASSWORD=Schneeglanz && psql -h db.internal -U orders_rw orders",
      values: ["Schneeglanz"],
    },
    {
      kind: "shell-export",
      text: "$ PGPASSWORD='drei nasse Katzen' pg_dump -h 10.0.4.12 -U crm crm > crm.sql",
      values: ["drei nasse Katzen"],
    },
    { kind: "shell-export", text: "set -x MYSQL_PWD Bernstein9\nmysql -u root -h 127.0.0.1", values: ["Bernstein9"] },
    {
      kind: "shell-export",
      text: 'C:\\> set DB_PASS=Hagelkorn\nC:\\> setx API_SECRET "sq5T8FUtkbLPhlWnSiyZ1Y2o"',
      values: ["Hagelkorn", "sq5T8FUtkbLPhlWnSiyZ1Y2o"],
    },
    { kind: "shell-export", text: "$env:SQL_PASSWORD = 'Rost&Grat'\ndotnet ef database update", values: ["Rost&Grat"] },
    {
      kind: "shell-export",
      text: 'declare -x VAULT_PASS="Moorhuhn"\ndeclare -x TERM="xterm-256color"',
      values: ["Moorhuhn"],
    },
    {
      kind: "shell-export",
      text: "RESTIC_PASSWORD=lagerfeuer42 restic -r sftp:backup@nas:/srv/repo snapshots",
      values: ["lagerfeuer42"],
    },
    {
      kind: "shell-export",
      text: 'BORG_PASSPHRASE="correct pony saddle clip" borg list ssh://nas/./repo',
      values: ["correct pony saddle clip"],
    },
    {
      kind: "shell-export",
      text: "+ export ANSIBLE_BECOME_PASS=Sternwarte\n+ ansible-playbook site.yml",
      values: ["Sternwarte"],
    },
    {
      kind: "shell-export",
      text: 'password="Wendeltreppe"\nfor h in web1 web2; do echo "$password" | ssh $h sudo -S systemctl restart nginx; done',
      values: ["Wendeltreppe"],
    },
    { kind: "shell-export", text: "echo 'Ziegenkäse5' | sudo -S apt-get install -y jq", values: ["Ziegenkäse5"] },
    {
      kind: "shell-export",
      text: "$ printenv | sort | head\nAPI_TOKEN=pK7bOsXCEdkaubl9zyprvtMNRVJZTGBHvRkatudaj3O\nHOME=/home/mira\nLANG=de_DE.UTF-8",
      values: ["pK7bOsXCEdkaubl9zyprvtMNRVJZTGBHvRkatudaj3O"],
    },
    { kind: "cli-option", text: "mysql -uroot -pTannenzapfen crm < schema.sql", values: ["Tannenzapfen"] },
    {
      kind: "cli-option",
      text: "mysqldump --user=backup --password=Quitte&Birne --single-transaction crm",
      values: ["Quitte&Birne"],
    },
    { kind: "cli-option", text: "./migrate --db-password 'Leuchtturm' --verbose up", values: ["Leuchtturm"] },
    {
      kind: "cli-option",
      text: 'subprocess.run(["mysql", "-u", "root", "--password", "Gartenzaun", "-e", "select 1"])',
      values: ["Gartenzaun"],
    },
    {
      kind: "cli-option",
      text: 'CMD ["server", "--port", "8080", "--admin-password", "Steinpilz-6"]',
      values: ["Steinpilz-6"],
    },
    {
      kind: "cli-option",
      text: "java -Dserver.port=8443 -Djavax.net.ssl.keyStorePassword=kiesgrube -jar app.jar",
      values: ["kiesgrube"],
    },
    {
      kind: "cli-option",
      text: 'java -Djavax.net.ssl.trustStorePassword="Nach!Tigall" -Ddb.password=Habicht.Horst -cp lib/* Main',
      values: ["Nach!Tigall", "Habicht.Horst"],
    },
    { kind: "cli-option", text: 'exec.Command("restic", "--password", "Felsenmeer")', values: ["Felsenmeer"] },
    {
      kind: "cli-option",
      text: '{"command":"docker","args":["run","-e","GITEA_SECRET=138a2bd9a0f9d109","gitea/gitea"]}',
      values: ["138a2bd9a0f9d109"],
    },
    {
      kind: "cli-option",
      text: "mongosh --host mongo1 -u admin -p 'Iltis&Marder' --authenticationDatabase admin",
      values: ["Iltis&Marder"],
    },
    {
      kind: "cli-option",
      text: "mosquitto_pub -h broker -u sensor -P Flussufer -t temp -m 21.4",
      values: ["Flussufer"],
    },
    {
      kind: "cli-option",
      text: 'ldapsearch -x -D "cn=admin,dc=birkenhof,dc=net" -w Uferschwalbe -b "dc=birkenhof,dc=net"',
      values: ["Uferschwalbe"],
    },
    {
      kind: "cli-option",
      text: 'sqlcmd -S sql01 -U sa -P "Dr4chen!Fels" -Q "SELECT @@VERSION"',
      values: ["Dr4chen!Fels"],
    },
    {
      kind: "cli-option",
      text: "keytool -genkeypair -alias app -keystore app.jks -storepass Haselnuss -keypass Walnuss77",
      values: ["Haselnuss", "Walnuss77"],
    },
    {
      kind: "cli-option",
      text: "jarsigner -keystore release.jks -storepass:env X -keypass mühlstein9 app.aab upload",
      values: ["mühlstein9"],
    },
    { kind: "cli-option", text: "smbclient //nas/projekte -U 'birkenhof\\mira%Fingerhut4'", values: ["Fingerhut4"] },
    {
      kind: "cli-option",
      text: "mount -t cifs //nas/projekte /mnt -o username=mira,password=Sauerklee,uid=1000",
      values: ["Sauerklee"],
    },
    {
      kind: "cli-option",
      text: "xfreerdp /v:ts01 /u:mira /p:Regenbogen12 /dynamic-resolution",
      values: ["Regenbogen12"],
    },
    {
      kind: "cli-option",
      text: "argocd login cd.birkenhof.net --username admin --password=Ebereschen --grpc-web",
      values: ["Ebereschen"],
    },
    { kind: "cli-option", text: "docker login registry.birkenhof.net -u ci -p Amselruf", values: ["Amselruf"] },
    {
      kind: "cli-option",
      text: "helm upgrade --install pg bitnami/postgresql --set auth.postgresPassword=Zaunkönig,auth.database=crm",
      values: ["Zaunkönig"],
    },
    {
      kind: "cli-option",
      text: 'terraform apply -var="db_password=Glockenblume" -var region=eu-west-1',
      values: ["Glockenblume"],
    },
    {
      kind: "cli-option",
      text: 'ansible-playbook site.yml -e "ansible_become_pass=Buntspecht env=prod"',
      values: ["Buntspecht"],
    },
    {
      kind: "cli-option",
      text: 'rabbitmqctl add_user jobs Wacholder8\nrabbitmqctl set_permissions -p / jobs ".*" ".*" ".*"',
      values: ["Wacholder8"],
    },
    {
      kind: "cli-option",
      text: "aws rds modify-db-instance --db-instance-identifier orders --master-user-password Kornblumen1 --apply-immediately",
      values: ["Kornblumen1"],
    },
    {
      kind: "cli-option",
      text: "npx cap sync && fastlane match appstore --git_basic_authorization bWlyYTpMZXJjaGVuZmVsZA==",
      values: ["bWlyYTpMZXJjaGVuZmVsZA=="],
    },
    {
      kind: "cli-option",
      text: 'nmcli dev wifi connect "Birkenhof-Gast" password "kaffeepause"',
      values: ["kaffeepause"],
    },
    { kind: "cli-option", text: 'useradd deploy && echo "deploy:Bachforelle" | chpasswd', values: ["Bachforelle"] },
    {
      kind: "tool-cli",
      text: "net use Z: \\\\nas\\projekte Mohnblume! /user:birkenhof\\mira /persistent:no",
      values: ["Mohnblume!"],
    },
    { kind: "tool-cli", text: "unzip -P Hirschkäfer logs-2024.zip -d logs", values: ["Hirschkäfer"] },
    { kind: "tool-cli", text: "7z x -pKirschkern7 archive.7z -oout", values: ["Kirschkern7"] },
    { kind: "tool-cli", text: 'zip -r -P "sand und salz" export.zip export/', values: ["sand und salz"] },
    {
      kind: "tool-cli",
      text: "gpg --batch --yes --passphrase Löwenzahn -d secrets.tar.gpg > secrets.tar",
      values: ["Löwenzahn"],
    },
    {
      kind: "tool-cli",
      text: "gpg --batch --pinentry-mode loopback --passphrase='three wet owls' --sign release.txt",
      values: ["three wet owls"],
    },
    {
      kind: "tool-cli",
      text: "sshpass -p 'Wiesel#9' ssh -o StrictHostKeyChecking=no pi@192.168.4.20 uptime",
      values: ["Wiesel#9"],
    },
    { kind: "tool-cli", text: "sshpass -pEisvogel scp backup.tgz root@nas:/srv", values: ["Eisvogel"] },
    { kind: "tool-cli", text: "htpasswd -bc /etc/nginx/.htpasswd mira Pfifferling", values: ["Pfifferling"] },
    { kind: "tool-cli", text: "htpasswd -nbB ops 'q8&Rinde'", values: ["q8&Rinde"] },
    {
      kind: "tool-cli",
      text: "openssl pkcs12 -in cert.p12 -nodes -passin pass:Kieselstein -out cert.pem",
      values: ["Kieselstein"],
    },
    {
      kind: "tool-cli",
      text: "openssl enc -aes-256-cbc -pbkdf2 -k Flaschenzug -in db.sql -out db.sql.enc",
      values: ["Flaschenzug"],
    },
    {
      kind: "tool-cli",
      text: "openssl rsa -in server.key -passin 'pass:tin roof' -passout pass:Blechdach3 -out server2.key",
      values: ["tin roof", "Blechdach3"],
    },
    {
      kind: "tool-cli",
      text: "kubectl create secret generic orders-db --from-literal=username=orders_rw --from-literal=password='Fuchsbau/7'",
      values: ["Fuchsbau/7"],
    },
    {
      kind: "tool-cli",
      text: "kubectl create secret docker-registry regcred --docker-server=registry.birkenhof.net --docker-username=ci --docker-password=Heidekraut",
      values: ["Heidekraut"],
    },
    {
      kind: "tool-cli",
      text: "heroku config:set SMTP_PASSWORD=Distelöl22 LOG_LEVEL=info -a kiefern-shop",
      values: ["Distelöl22"],
    },
    {
      kind: "tool-cli",
      text: 'gh secret set DEPLOY_PASSWORD --body "Gänseblümchen" --repo acorn-labs/infra',
      values: ["Gänseblümchen"],
    },
    {
      kind: "tool-cli",
      text: "gh secret set NPM_TOKEN -b KYz0MRpAewHG2QkocSc6Fgo7K8MDmvl0ohfE8Ufd",
      values: ["KYz0MRpAewHG2QkocSc6Fgo7K8MDmvl0ohfE8Ufd"],
    },
    {
      kind: "tool-cli",
      text: "vault kv put secret/orders/db username=orders_rw password=Eibenholz",
      values: ["Eibenholz"],
    },
    {
      kind: "tool-cli",
      text: "vault login -method=userpass username=mira password=Ahornblatt",
      values: ["Ahornblatt"],
    },
    { kind: "tool-cli", text: "redis-cli -h cache -a Schilfrohr INFO memory", values: ["Schilfrohr"] },
    {
      kind: "tool-cli",
      text: "fly secrets set SESSION_KEY=f6e64642e9bfcc0a5d3d3803ee98f278 --app orders",
      values: ["f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    { kind: "tool-cli", text: 'wrangler secret put PAY_SECRET <<< "Krähenfuß-12"', values: ["Krähenfuß-12"] },
    { kind: "tool-cli", text: "printf 'Tollkirsche' | docker secret create db_password -", values: ["Tollkirsche"] },
    {
      kind: "tool-cli",
      text: "security add-generic-password -a mira -s orders-db -w Waldmeister3",
      values: ["Waldmeister3"],
    },
    {
      kind: "tool-cli",
      text: "cryptsetup luksOpen /dev/sdb1 data <<< 'grauer Reiher im Schilf'",
      values: ["grauer Reiher im Schilf"],
    },
    { kind: "tool-cli", text: "qpdf --password=Rotkehlchen --decrypt rechnung.pdf offen.pdf", values: ["Rotkehlchen"] },
    {
      kind: "tool-cli",
      text: 'lftp -u webmaster,Schafgarbe sftp://ftp.kiefernweg.org -e "mirror -R dist/ /; quit"',
      values: ["Schafgarbe"],
    },
    { kind: "tool-cli", text: 'ConvertTo-SecureString "Turmfalke_1" -AsPlainText -Force', values: ["Turmfalke_1"] },
    { kind: "tool-cli", text: "ipmitool -I lanplus -H 10.0.9.4 -U ADMIN -P Bussard power status", values: ["Bussard"] },
    { kind: "redis", text: "127.0.0.1:6379> AUTH Sumpfdotter\nOK\n127.0.0.1:6379> KEYS *", values: ["Sumpfdotter"] },
    {
      kind: "redis",
      text: "# redis.conf\nbind 0.0.0.0\nrequirepass Ringelnatter\nmasterauth Blindschleiche",
      values: ["Ringelnatter", "Blindschleiche"],
    },
    { kind: "redis", text: "user worker on >Feldhamster ~jobs:* +@all", values: ["Feldhamster"] },
    {
      kind: "redis",
      text: '1704102211.004112 [0 10.0.2.4:51922] "AUTH" "default" "Zuckerrübe"',
      values: ["Zuckerrübe"],
    },
    {
      kind: "wifi",
      text: 'network={\n    ssid="Birkenhof"\n    psk="unter den linden"\n    key_mgmt=WPA-PSK\n}',
      values: ["unter den linden"],
    },
    { kind: "wifi", text: "[wifi-security]\nke" + "y-mgmt=wpa-psk\npsk=Apfelwiese", values: ["Apfelwiese"] },
    { kind: "wifi", text: '#define WIFI_SSID "Werkstatt"\n#define WIFI_PASSWORD "hobelbank"', values: ["hobelbank"] },
    {
      kind: "wifi",
      text: "    Authentifizierung    : WPA2-Personal\n    Schlüsselinhalt      : Kartoffelsuppe",
      values: ["Kartoffelsuppe"],
    },
    { kind: "wifi", text: ': 192.168.4.2 vpn.birkenhof.net : PSK "Heuschrecke/44"', values: ["Heuschrecke/44"] },
    { kind: "json", text: '{"user":"mira","password":"Holzwurm"}', values: ["Holzwurm"] },
    {
      kind: "json",
      text: '{\n  "smtp": { "host": "mail.kiefernweg.org", "pass": "Efeu.Ranke", "port": 587 }\n}',
      values: ["Efeu.Ranke"],
    },
    {
      kind: "json",
      text: '{"client_id":"orders-web","client_secret":"KYz0MRpAewHG2QkocSc6Fgo7K8MDmvl0ohfE8Ufd","grant_type":"client_credentials"}',
      values: ["KYz0MRpAewHG2QkocSc6Fgo7K8MDmvl0ohfE8Ufd"],
    },
    {
      kind: "json",
      text: '{"access_token":"pK7bOsXCEdkaubl9zyprvtMNRVJZTGBHvRkatudaj3O","refresh_token":"2VP0G5vj4ADuwbTzVbelVshpQfAq9F3xqAdt44QJRRWS1qWh","expires_in":3600}',
      values: ["pK7bOsXCEdkaubl9zyprvtMNRVJZTGBHvRkatudaj3O", "2VP0G5vj4ADuwbTzVbelVshpQfAq9F3xqAdt44QJRRWS1qWh"],
    },
    { kind: "json", text: '{"dbPassword": "sa\\"lz\\\\stange", "dbUser": "crm"}', values: ['sa\\"lz\\\\stange'] },
    { kind: "json", text: '{"adminPassword" : "$ommer#Nacht" , "adminUser" : "root"}', values: ["$ommer#Nacht"] },
    { kind: "json", text: '{"credentials":{"login":"mira@birkenhof.net","passwd":"@bendrot"}}', values: ["@bendrot"] },
    {
      kind: "json",
      text: '{"apiKey":"f6e64642e9bfcc0a5d3d3803ee98f278","region":"eu"}',
      values: ["f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    { kind: "json", text: '{"passphrase": "blue kettle on a stove", "keyId": 7}', values: ["blue kettle on a stove"] },
    { kind: "json", text: '{"secret":"Küstennebel","interval":30}', values: ["Küstennebel"] },
    { kind: "json", text: '{"passwords":["Ginster44","Lavendel45"]}', values: ["Ginster44", "Lavendel45"] },
    { kind: "json", text: '{"env":{"SENDER_PASSWORD":"Strandhafer","SENDER":"noreply"}}', values: ["Strandhafer"] },
    {
      kind: "json",
      text: '[{"op":"replace","path":"/spec/adminPassword","value":"Dünengras8"}]',
      values: ["Dünengras8"],
    },
    {
      kind: "json",
      text: '{"new_password":"Salbei!Tee","new_password_confirmation":"Salbei!Tee","current_password":"Minze!Tee"}',
      values: ["Salbei!Tee", "Minze!Tee"],
    },
    {
      kind: "json",
      text: '{"mcpServers":{"tickets":{"command":"npx","args":["-y","tickets-mcp","--api-key","sq5T8FUtkbLPhlWnSiyZ1Y2o"],"env":{"TICKETS_SECRET":"Schlehdorn"}}}}',
      values: ["sq5T8FUtkbLPhlWnSiyZ1Y2o", "Schlehdorn"],
    },
    {
      kind: "json",
      text: '{"signing_key":"3dXS0WpB5mxbucEzlCO5zQVOG6mgL0kKo8JHaJcpXyj="}',
      values: ["3dXS0WpB5mxbucEzlCO5zQVOG6mgL0kKo8JHaJcpXyj="],
    },
    {
      kind: "json-in-json",
      text: '{"type":"tool_result","content":"{\\"user\\":\\"mira\\",\\"password\\":\\"Eulenspiegel\\"}"}',
      values: ["Eulenspiegel"],
    },
    {
      kind: "json-in-json",
      text: '{"role":"user","content":[{"type":"text","text":"cat .env\\nDB_PASSWORD=Hufeisen\\nDB_PORT=5432"}]}',
      values: ["Hufeisen"],
    },
    {
      kind: "json-in-json",
      text: '{"body":"{\\"auth\\":\\"{\\\\\\"client_secret\\\\\\":\\\\\\"Zimtstern9\\\\\\"}\\"}"}',
      values: ["Zimtstern9"],
    },
    {
      kind: "json-in-json",
      text: '{"tool":"bash","input":{"command":"mysql -u root --password=\\"Nusskuchen\\" -e \'show tables\'"}}',
      values: ["Nusskuchen"],
    },
    {
      kind: "json-in-json",
      text: '{"Payload":"{\\n  \\"smtp_password\\": \\"Pflaumenmus\\",\\n  \\"to\\": \\"ops\\"\\n}"}',
      values: ["Pflaumenmus"],
    },
    {
      kind: "json-in-json",
      text: '{"stdout":"export API_SECRET=\'Gewitterwolke\'\\nexport LANG=C\\n","exit":0}',
      values: ["Gewitterwolke"],
    },
    {
      kind: "json-in-json",
      text: '{"diff":"@@ -1,2 +1,2 @@\\n-password: Altweibersommer\\n+password: Spätsommer\\n"}',
      values: ["Altweibersommer", "Spätsommer"],
    },
    {
      kind: "json-in-json",
      text: 'data: {"type":"input_json_delta","partial_json":"{\\"token\\": \\"d02041cf710da4224f7985ab8d0193bb516e92e0\\"}"}',
      values: ["d02041cf710da4224f7985ab8d0193bb516e92e0"],
    },
    { kind: "json-in-json", text: '{"text":"the db password is \\"Rübezahl\\", please rotate"}', values: ["Rübezahl"] },
    {
      kind: "yaml",
      text: "database:\n  host: db.internal\n  username: crm\n  password: Kürbiskern\n  pool: 5",
      values: ["Kürbiskern"],
    },
    { kind: "yaml", text: "smtp_password: 'it''s raining'", values: ["it''s raining"] },
    { kind: "yaml", text: "auth: { user: mira, password: Rosenkohl, realm: intern }", values: ["Rosenkohl"] },
    { kind: "yaml", text: 'admin_password: "#Grünspecht"   # first login only', values: ["#Grünspecht"] },
    {
      kind: "yaml",
      text: "users:\n  - name: mira\n    passwd: Lindwurm\n  - name: ole\n    passwd: Seeadler",
      values: ["Lindwurm", "Seeadler"],
    },
    {
      kind: "yaml",
      text: "secret_key_base: dd13a1f4eeb50ff00cb8c35ce32dc0f1b3a87046b040ae2bf00a21c073cd977e",
      values: ["dd13a1f4eeb50ff00cb8c35ce32dc0f1b3a87046b040ae2bf00a21c073cd977e"],
    },
    { kind: "yaml", text: "api-token: !!str Hollerbusch7", values: ["Hollerbusch7"] },
    {
      kind: "yaml",
      text: "password: &dbpass Kleiber.und.Meise\nreplica:\n  password: *dbpass",
      values: ["Kleiber.und.Meise"],
    },
    {
      kind: "yaml",
      text: "production:\n  adapter: mysql2\n  username: shop\n  password: green apples fall",
      values: ["green apples fall"],
    },
    { kind: "yaml-block", text: "password: |\n  Schlüsselblume\nhost: db.internal", values: ["Schlüsselblume"] },
    {
      kind: "yaml-block",
      text: "stringData:\n  client-secret: >-\n    Butterblume42\n  client-id: orders",
      values: ["Butterblume42"],
    },
    {
      kind: "yaml-block",
      text: "db_password: |-\n    ein Storch auf dem Dach\ndb_user: crm",
      values: ["ein Storch auf dem Dach"],
    },
    {
      kind: "yaml-block",
      text: "config.env: |\n  PORT=8080\n  SESSION_SECRET=Taubenschlag\n  DEBUG=0",
      values: ["Taubenschlag"],
    },
    { kind: "yaml", text: "password:\n  Mauersegler\nuser: mira", values: ["Mauersegler"] },
    { kind: "toml", text: '[database]\nuser = "crm"\npassword = "Nachtfalter"', values: ["Nachtfalter"] },
    { kind: "toml", text: "secret_key = '''Sieben&Schläfer'''", values: ["Sieben&Schläfer"] },
    { kind: "toml", text: 'smtp = { host = "mail", user = "noreply", password = "Wollgras" }', values: ["Wollgras"] },
    {
      kind: "toml",
      text: '[http-basic."repo.birkenhof.net"]\nusername = "ci"\npassword = "Pappel.Allee"',
      values: ["Pappel.Allee"],
    },
    { kind: "ini", text: "[client]\nuser=root\npassword=Maulwurf", values: ["Maulwurf"] },
    { kind: "ini", text: "[mail]\nsmtp_user : noreply\nsmtp_password : Goldregen5", values: ["Goldregen5"] },
    {
      kind: "ini",
      text: '; grafana\nadmin_user = admin\nadmin_password = """@Feldsalat;x"""',
      values: ["@Feldsalat;x"],
    },
    {
      kind: "ini",
      text: '[program:worker]\ncommand=python worker.py\nenvironment=QUEUE="jobs",BROKER_PASSWORD="Krokus"',
      values: ["Krokus"],
    },
    {
      kind: "ini",
      text: '[Remote "nas"]\ntype = sftp\nuser = backup\npass = sq5T8FUtkbLPhlWnSiyZ1Y2o',
      values: ["sq5T8FUtkbLPhlWnSiyZ1Y2o"],
    },
    {
      kind: "properties",
      text: "spring.datasource.username=crm\nspring.datasource.password=Hahnenfuß\nserver.port=8080",
      values: ["Hahnenfuß"],
    },
    {
      kind: "properties",
      text: "keystore.password: Bärlauch\nkey.password = Bär.Lauch.2",
      values: ["Bärlauch", "Bär.Lauch.2"],
    },
    {
      kind: "properties",
      text: "storePassword=gewürzgurke\nkeyAlias=upload\nstoreFile=../upload.jks",
      values: ["gewürzgurke"],
    },
    { kind: "properties", text: "mail.smtp.password=Stein\\=Bruch\\:7", values: ["Stein\\=Bruch\\:7"] },
    {
      kind: "properties",
      text: 'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="events" password="Trauerweide";',
      values: ["Trauerweide"],
    },
    {
      kind: "xml",
      text: "<server>\n  <id>nexus</id>\n  <username>ci</username>\n  <password>Brennnessel</password>\n</server>",
      values: ["Brennnessel"],
    },
    { kind: "xml", text: '<add key="SmtpPassword" value="Sonnentau" />', values: ["Sonnentau"] },
    {
      kind: "xml",
      text: '<Resource name="jdbc/crm" username="crm" password="Fliegenpilz&amp;Co" driverClassName="org.postgresql.Driver"/>',
      values: ["Fliegenpilz&amp;Co"],
    },
    { kind: "xml", text: '<property name="password"><value>Wegwarte</value></property>', values: ["Wegwarte"] },
    {
      kind: "xml",
      text: '<wsse:Username>svc</wsse:Username><wsse:Password Type="#PasswordText">Kamille33</wsse:Password>',
      values: ["Kamille33"],
    },
    { kind: "xml", text: "<apiToken><![CDATA[Sperling<3Dach]]></apiToken>", values: ["Sperling<3Dach"] },
    { kind: "xml", text: "<key>AdminPassword</key>\n<string>Arnika.Wiese</string>", values: ["Arnika.Wiese"] },
    {
      kind: "xml",
      text: '<setting name="db.password" serializeAs="String">\n  <value>Zitterpappel</value>\n</setting>',
      values: ["Zitterpappel"],
    },
    { kind: "html", text: '<input type="password" name="pw" value="Schlüsselbund">', values: ["Schlüsselbund"] },
    {
      kind: "html",
      text: '<input value="Regenwurm8" id="db_password" class="form-control" type="text">',
      values: ["Regenwurm8"],
    },
    { kind: "html", text: "<p>Your temporary password: <b>Kranzler-Eck</b></p>", values: ["Kranzler-Eck"] },
    {
      kind: "html",
      text: "<tr><th>Username</th><td>mira</td></tr><tr><th>Password</th><td>Vergissmeinnicht</td></tr>",
      values: ["Vergissmeinnicht"],
    },
    {
      kind: "csv",
      text: 'name,username,password,url\nNexus,ci,Brandung,https://nexus.birkenhof.net\nWiki,mira,"Ebbe, Flut",https://wiki.birkenhof.net',
      values: ["Brandung", "Ebbe, Flut"],
    },
    { kind: "csv", text: "url;login;kennwort\nhttps://crm.birkenhof.net;ole;Heckenrose", values: ["Heckenrose"] },
    {
      kind: "csv",
      text: "User name,Password,Access key ID,Secret access key,Console login link\ndeploy,Gr@uGans77,,,https://48021337.signin.aws.amazon.com/console",
      values: ["Gr@uGans77"],
    },
    {
      kind: "csv",
      text: "host\tuser\tpassword\nweb1\troot\tPfeilkraut\nweb2\troot\tFroschlöffel",
      values: ["Pfeilkraut", "Froschlöffel"],
    },
    {
      kind: "table",
      text: "| Service | User  | Password     |\n|---------|-------|--------------|\n| Jenkins | admin | Hainbuche    |\n| Grafana | admin | Rotbuche!2   |",
      values: ["Hainbuche", "Rotbuche!2"],
    },
    {
      kind: "table",
      text: "+----------+--------------+\n| username | password     |\n+----------+--------------+\n| mira     | Teichrose    |\n+----------+--------------+",
      values: ["Teichrose"],
    },
    {
      kind: "table",
      text: "| Key | Value |\n| --- | --- |\n| DB_HOST | `db.internal` |\n| DB_PASSWORD | `Mistelzweig` |",
      values: ["Mistelzweig"],
    },
    {
      kind: "table",
      text: "USER    PASSWORD      ROLE\nmira    Silbermöwe    admin\nole     Lachmöwe      viewer",
      values: ["Silbermöwe", "Lachmöwe"],
    },
    {
      kind: "table",
      text: "Username:  admin\nPassword:  Zaunwinde\nURL:       https://cd.birkenhof.net",
      values: ["Zaunwinde"],
    },
    {
      kind: "psql",
      text: " id | login |  password  \n----+-------+------------\n  1 | mira  | Hornisse7\n  2 | ole   | Libelle8\n(2 rows)",
      values: ["Hornisse7", "Libelle8"],
    },
    {
      kind: "psql",
      text: "-[ RECORD 1 ]--+-------------\nid             | 4\nsmtp_password  | Nachtigall\nenabled        | t",
      values: ["Nachtigall"],
    },
    {
      kind: "psql",
      text: "crm=> select key, value from settings where key like 'smtp%';\n      key      |    value\n---------------+-------------\n smtp_host     | mail\n smtp_password | Gartenschere\n(2 rows)",
      values: ["Gartenschere"],
    },
    {
      kind: "psql",
      text: "mysql> SELECT user, api_token FROM clients\\G\n*************************** 1. row ***************************\n     user: acorn\napi_token: d02041cf710da4224f7985ab8d0193bb516e92e0\n1 row in set (0.00 sec)",
      values: ["d02041cf710da4224f7985ab8d0193bb516e92e0"],
    },
    {
      kind: "source-python",
      text: 'DB_PASSWORD = "marmalade-sky"\nconn = psycopg2.connect(host="db", user="crm", password=DB_PASSWORD)',
      values: ["marmalade-sky"],
    },
    {
      kind: "source-python",
      text: "conn = pymysql.connect(host='db', user='crm', password='r0ck.salt.9', database='crm')",
      values: ["r0ck.salt.9"],
    },
    { kind: "source-python", text: "app.secret_key = b'\\x9fT-harbour'", values: ["\\x9fT-harbour"] },
    {
      kind: "source-python",
      text: 'password: str = os.getenv("DB_PASSWORD", "lantern/fish")',
      values: ["lantern/fish"],
    },
    {
      kind: "source-python",
      text: 'CREDS = {"user": "etl", "pwd": \'say "moss" twice\'}',
      values: ['say "moss" twice'],
    },
    {
      kind: "source-js",
      text: "const jwtSecret = 'walrus in winter'\napp.use(session({ secret: 'Oyster&Pearl', resave: false }))",
      values: ["walrus in winter", "Oyster&Pearl"],
    },
    { kind: "source-js", text: "const password = process.env.DB_PASSWORD || 'copperkettle'", values: ["copperkettle"] },
    {
      kind: "source-js",
      text: "jwt.sign({ sub: user.id }, 'velvet_anvil_19', { expiresIn: '1h' })",
      values: ["velvet_anvil_19"],
    },
    {
      kind: "source-ts",
      text: 'private readonly apiSecret: string = "G8KkO78fZj189jFPH7ltgjSTuzqEqlRL";',
      values: ["G8KkO78fZj189jFPH7ltgjSTuzqEqlRL"],
    },
    { kind: "source-ts", text: "await page.fill('#password', 'Gravel!Path3')", values: ["Gravel!Path3"] },
    {
      kind: "source-java",
      text: 'private static final String DB_PASSWORD = "thunder.plum";',
      values: ["thunder.plum"],
    },
    { kind: "source-java", text: 'props.setProperty("mail.smtp.password", "Cobble$tone");', values: ["Cobble$tone"] },
    {
      kind: "source-java",
      text: 'Connection c = DriverManager.getConnection(url, "crm", "saffron-Tide");',
      values: ["saffron-Tide"],
    },
    { kind: "source-java", text: 'char[] storePassword = "meadowlark".toCharArray();', values: ["meadowlark"] },
    {
      kind: "source-kotlin",
      text: 'signingConfigs { create("release") { storePassword = "gooseFeather8"; keyPassword = "duckFeather9" } }',
      values: ["gooseFeather8", "duckFeather9"],
    },
    {
      kind: "source-go",
      text: 'cfg := mysql.Config{User: "crm", Passwd: "brass%Lamp", Net: "tcp", Addr: "db:3306"}',
      values: ["brass%Lamp"],
    },
    {
      kind: "source-go",
      text: 'const apiToken = "d02041cf710da4224f7985ab8d0193bb516e92e0"',
      values: ["d02041cf710da4224f7985ab8d0193bb516e92e0"],
    },
    { kind: "source-go", text: "var hmacSecret = []byte(`pewter & jug`)", values: ["pewter & jug"] },
    {
      kind: "source-ruby",
      text: "config.secret_token = 'sparrow_on_a_wire'\nMysql2::Client.new(username: 'crm', password: 'cinder.block')",
      values: ["sparrow_on_a_wire", "cinder.block"],
    },
    { kind: "source-ruby", text: ':password => "Flint@Steel",', values: ["Flint@Steel"] },
    {
      kind: "source-php",
      text: "define( 'DB_PASSWORD', 'rain?barrel' );\ndefine( 'AUTH_KEY', 'mV}7|kq(x^T&2<zB9;_d!Rw' );",
      values: ["rain?barrel", "mV}7|kq(x^T&2<zB9;_d!Rw"],
    },
    {
      kind: "source-php",
      text: "$dbpass = \"heron+Reed\";\n$pdo = new PDO($dsn, 'crm', $dbpass);",
      values: ["heron+Reed"],
    },
    { kind: "source-php", text: "'password' => env('DB_PASSWORD', 'thistledown'),", values: ["thistledown"] },
    {
      kind: "source-csharp",
      text: 'var cred = new NetworkCredential("noreply", "Juniper#Berry");',
      values: ["Juniper#Berry"],
    },
    { kind: "source-csharp", text: 'public const string ApiSecret = @"wicker\\basket";', values: ["wicker\\basket"] },
    {
      kind: "source-rust",
      text: 'let password: &str = "bog.myrtle";\nconst SIGNING_SECRET: &[u8] = b"amber-and-ash";',
      values: ["bog.myrtle", "amber-and-ash"],
    },
    {
      kind: "source-swift",
      text: 'let clientSecret = "VIdBR+QfoNr4Jcwn6CCNMk=="',
      values: ["VIdBR+QfoNr4Jcwn6CCNMk=="],
    },
    { kind: "source-c", text: 'static const char *mqtt_password = "sand piper";', values: ["sand piper"] },
    { kind: "source-c", text: '#define ADMIN_PASS "q!Otter7"', values: ["q!Otter7"] },
    {
      kind: "source-perl",
      text: "my $dbh = DBI->connect($dsn, 'crm', 'winter%wheat', { RaiseError => 1 });\nmy $password = q{hemlock bridge};",
      values: ["winter%wheat", "hemlock bridge"],
    },
    {
      kind: "source-elixir",
      text: 'config :crm, Crm.Repo, username: "crm", password: "otterpool", hostname: "db"\nconfig :crm, CrmWeb.Endpoint, secret_key_base: "dd9ed0c8f45c21a03714f779d59b87bd6bc203d74c9ab6b6fe0c32c7a153b9e6"',
      values: ["otterpool", "dd9ed0c8f45c21a03714f779d59b87bd6bc203d74c9ab6b6fe0c32c7a153b9e6"],
    },
    { kind: "source-scala", text: 'val dbPassword = "ploughshare12"', values: ["ploughshare12"] },
    { kind: "source-vb", text: 'Const DbPassword As String = "clover&Rye"', values: ["clover&Rye"] },
    { kind: "source-lua", text: "local api_secret = [[nettle.soup]]", values: ["nettle.soup"] },
    {
      kind: "dump",
      text: "DEBUG config: Settings(host='db', user='crm', password='quill&ink', pool=5)",
      values: ["quill&ink"],
    },
    { kind: "dump", text: "{'username': 'mira', 'password': 'tamarisk', 'remember': True}", values: ["tamarisk"] },
    {
      kind: "dump",
      text: "DataSourceConfig{url='jdbc:postgresql://db/crm', username='crm', password='hollyhock'}",
      values: ["hollyhock"],
    },
    {
      kind: "dump",
      text: "LoginRequest(email=mira@birkenhof.net, password=foxglove9, rememberMe=false)",
      values: ["foxglove9"],
    },
    { kind: "dump", text: "DbProps[user=crm, password=larkspur, maxPool=10]", values: ["larkspur"] },
    {
      kind: "dump",
      text: "record Account[id=7, apiKey=f6e64642e9bfcc0a5d3d3803ee98f278, active=true]",
      values: ["f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    {
      kind: "dump",
      text: "cfg: {Host:db Port:5432 User:crm Password:delphinium SSLMode:disable}",
      values: ["delphinium"],
    },
    { kind: "dump", text: '&main.Config{Addr:":8080", JWTSecret:"marsh.wren", Debug:false}', values: ["marsh.wren"] },
    { kind: "dump", text: "map[password:snapdragon user:crm]", values: ["snapdragon"] },
    {
      kind: "dump",
      text: '#<Mailer::Config:0x00007f8b1c0a3e58 @host="mail", @password="goldfinch", @port=587>',
      values: ["goldfinch"],
    },
    {
      kind: "dump",
      text: 'Parameters: {"user"=>{"email"=>"mira@birkenhof.net", "password"=>"bittern!"}, "commit"=>"Log in"}',
      values: ["bittern!"],
    },
    { kind: "dump", text: '{:host=>"db", :password=>"curlew_5", :port=>5432}', values: ["curlew_5"] },
    {
      kind: "dump",
      text: "{\n  host: 'db',\n  auth: { user: 'crm', password: 'lapwing', [Symbol(id)]: 4 }\n}",
      values: ["lapwing"],
    },
    {
      kind: "dump",
      text: "Array\n(\n    [host] => db\n    [password] => dunlin.sand\n    [port] => 3306\n)",
      values: ["dunlin.sand"],
    },
    {
      kind: "dump",
      text: 'array(2) {\n  ["user"]=>\n  string(3) "crm"\n  ["password"]=>\n  string(9) "redshanks"\n}',
      values: ["redshanks"],
    },
    { kind: "dump", text: 'Config { host: "db", api_secret: "turnstone", retries: 3 }', values: ["turnstone"] },
    { kind: "dump", text: 'Config { user: "crm", password: Some("whimbrel4") }', values: ["whimbrel4"] },
    { kind: "dump", text: "Namespace(host='db', db_password='godwit tail', verbose=True)", values: ["godwit tail"] },
    { kind: "dump", text: '%Config{host: "db", password: "sanderling"}', values: ["sanderling"] },
    { kind: "dump", text: "OrderedDict([('user', 'crm'), ('password', 'phalarope')])", values: ["phalarope"] },
    {
      kind: "dump",
      text: "Name                           Value\n----                           -----\nDbPassword                     oystercatcher1\nDbUser                         crm",
      values: ["oystercatcher1"],
    },
    {
      kind: "kubernetes",
      text: "env:\n  - name: DB_HOST\n    value: db.internal\n  - name: DB_PASSWORD\n    value: coppice\n  - name: LOG_LEVEL\n    value: info",
      values: ["coppice"],
    },
    {
      kind: "kubernetes",
      text: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: orders-db\ntype: Opaque\ndata:\n  username: b3JkZXJzX3J3\n  password: SGFycm93JlNjeXRoZQ==",
      values: ["SGFycm93JlNjeXRoZQ=="],
    },
    {
      kind: "kubernetes",
      text: 'kind: Secret\nstringData:\n  smtp: spruce-gum\n  token: "birch/bark"',
      values: ["spruce-gum", "birch/bark"],
    },
    {
      kind: "kubernetes",
      text: '"env": [{"name": "REDIS_PASSWORD", "value": "alder.swamp"}, {"name": "PORT", "value": "80"}]',
      values: ["alder.swamp"],
    },
    {
      kind: "kubernetes",
      text: "    Environment:\n      SPRING_PROFILES_ACTIVE:      prod\n      SPRING_DATASOURCE_PASSWORD:  rowanberry\n    Mounts:  <none>",
      values: ["rowanberry"],
    },
    {
      kind: "kubernetes",
      text: 'kubectl patch secret orders-db -p \'{"stringData":{"password":"hazel&Catkin"}}\'',
      values: ["hazel&Catkin"],
    },
    { kind: "kubernetes", text: '- { name: SESSION_SECRET, value: "willow herb" }', values: ["willow herb"] },
    { kind: "kubernetes", text: '"name": "ADMIN_PASSWORD",\n      "value": "elder#flower"', values: ["elder#flower"] },
    {
      kind: "kubernetes",
      text: "users:\n- name: admin\n  user:\n    token: l0NlbR03nRmhpslUqpx7hIqL5tLsUAAk3jF4Bg6HY4I",
      values: ["l0NlbR03nRmhpslUqpx7hIqL5tLsUAAk3jF4Bg6HY4I"],
    },
    { kind: "docker", text: "ENV DB_PASSWORD=blackthorn\nEXPOSE 8080", values: ["blackthorn"] },
    {
      kind: "docker",
      text: "ARG NPM_TOKEN=KYz0MRpAewHG2QkocSc6Fgo7K8MDmvl0ohfE8Ufd\nRUN npm ci",
      values: ["KYz0MRpAewHG2QkocSc6Fgo7K8MDmvl0ohfE8Ufd"],
    },
    {
      kind: "docker",
      text: "services:\n  db:\n    image: mariadb:11\n    environment:\n      - MARIADB_ROOT_PASSWORD=spindle!tree\n      - MARIADB_DATABASE=crm",
      values: ["spindle!tree"],
    },
    {
      kind: "docker",
      text: "docker run -d --name pg -e POSTGRES_PASSWORD=dogwood -p 5432:5432 postgres:16",
      values: ["dogwood"],
    },
    {
      kind: "docker",
      text: '"Env": [\n    "PATH=/usr/local/bin:/usr/bin",\n    "MINIO_ROOT_USER=minio",\n    "MINIO_ROOT_PASSWORD=hornbeam_3"\n]',
      values: ["hornbeam_3"],
    },
    {
      kind: "docker",
      text: '    environment:\n      KEYCLOAK_ADMIN: admin\n      KEYCLOAK_ADMIN_PASSWORD: "wych elm"',
      values: ["wych elm"],
    },
    {
      kind: "terraform",
      text: 'resource "aws_db_instance" "orders" {\n  username = "orders"\n  password = "Sycamore/Row"\n}',
      values: ["Sycamore/Row"],
    },
    {
      kind: "terraform",
      text: 'variable "db_password" {\n  type    = string\n  default = "medlar.quince"\n}',
      values: ["medlar.quince"],
    },
    {
      kind: "terraform",
      text: '# prod.tfvars\ndb_password  = "bullace77"\nregion       = "eu-west-1"',
      values: ["bullace77"],
    },
    { kind: "terraform", text: '  ~ password = "sloe$gin" -> "damson$jam"', values: ["sloe$gin", "damson$jam"] },
    {
      kind: "terraform",
      text: '"outputs": {\n    "admin_password": {\n      "value": "greengage!",\n      "type": "string",\n      "sensitive": true\n    }\n}',
      values: ["greengage!"],
    },
    {
      kind: "ansible",
      text: "web1 ansible_host=10.0.1.4 ansible_user=deploy ansible_ssh_pass=mulberry ansible_become_password='fig & leaf'",
      values: ["mulberry", "fig & leaf"],
    },
    {
      kind: "ansible",
      text: "- name: create user\n  mysql_user: name=crm password=loquat priv=crm.*:ALL state=present",
      values: ["loquat"],
    },
    {
      kind: "ansible",
      text: 'changed: [web1] => {"changed": true, "invocation": {"module_args": {"login_password": "persimmon", "name": "crm"}}}',
      values: ["persimmon"],
    },
    { kind: "ansible", text: 'vault_smtp_password: "kumquat-7"', values: ["kumquat-7"] },
    { kind: "helm", text: "grafana:\n  adminUser: admin\n  adminPassword: tangelo", values: ["tangelo"] },
    {
      kind: "helm",
      text: "USER-SUPPLIED VALUES:\nauth:\n  rootPassword: pomelo.rind\n  replicationPassword: yuzu.rind\nprimary:\n  persistence:\n    size: 8Gi",
      values: ["pomelo.rind", "yuzu.rind"],
    },
    {
      kind: "helm",
      text: "helm install rabbit ./chart --set-string rabbitmq.password='citron,peel'",
      values: ["citron,peel"],
    },
    {
      kind: "ci",
      text: "jobs:\n  test:\n    services:\n      postgres:\n        env:\n          POSTGRES_PASSWORD: quarterstaff\n    env:\n      STAGING_API_KEY: f6e64642e9bfcc0a5d3d3803ee98f278",
      values: ["quarterstaff", "f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    { kind: "ci", text: 'variables:\n  SSH_PASS: "cobweb&dew"\n  GIT_DEPTH: 1', values: ["cobweb&dew"] },
    {
      kind: "ci",
      text: "environment {\n    NEXUS_PASSWORD = 'tallow.candle'\n}\nstages {}",
      values: ["tallow.candle"],
    },
    {
      kind: "ci",
      text: '      - run: echo "//npm.birkenhof.net/:_password=c3Bpbm5pbmctd2hlZWw=" >> .npmrc',
      values: ["c3Bpbm5pbmctd2hlZWw="],
    },
    { kind: "ci", text: "##[debug]  DEPLOY_PASSWORD: bellows9\n##[debug]  NODE_ENV: production", values: ["bellows9"] },
    {
      kind: "cat-n",
      text: "     1\tDB_HOST=db.internal\n     2\tDB_PASSWORD=anvilcloud\n     3\tDB_PORT=5432",
      values: ["anvilcloud"],
    },
    { kind: "cat-n", text: "   12→  smtp:\n   13→    password: hoarfrost\n   14→    port: 587", values: ["hoarfrost"] },
    {
      kind: "cat-n",
      text: " 7 | const clientSecret = 'sleet.and.snow';\n 8 | export default clientSecret;",
      values: ["sleet.and.snow"],
    },
    {
      kind: "diff",
      text: "--- a/.env\n+++ b/.env\n@@ -3,2 +3,2 @@\n-DB_PASSWORD=drizzle88\n+DB_PASSWORD=cloudburst\n DB_PORT=5432",
      values: ["drizzle88", "cloudburst"],
    },
    { kind: "diff", text: '+    "apiSecret": "mizzle/fog",\n-    "apiSecret": "",', values: ["mizzle/fog"] },
    { kind: "diff", text: '-password: !graupel\n+password: "{{ vault_db_password }}"', values: ["!graupel"] },
    {
      kind: "diff",
      text: '<<<<<<< HEAD\nsecret_key = "squall line"\n=======\nsecret_key = "gust front"\n>>>>>>> feature/auth',
      values: ["squall line", "gust front"],
    },
    {
      kind: "grep",
      text: "config/prod.yml:14:  password: whirlwind\nconfig/prod.yml-15-  port: 5432",
      values: ["whirlwind"],
    },
    {
      kind: "grep",
      text: './src/db.py:8:PASSWORD = "monsoon%"\n./src/db.py:21:    password=PASSWORD,',
      values: ["monsoon%"],
    },
    { kind: "grep", text: "deploy/.env:API_SECRET=zephyr_wind", values: ["zephyr_wind"] },
    { kind: "grep", text: "3:export FTP_PASS=sirocco", values: ["sirocco"] },
    {
      kind: "grep",
      text: 'C:\\src\\web.config:31:    <add key="LdapPassword" value="chinook7" />',
      values: ["chinook7"],
    },
    {
      kind: "compose-log",
      text: "db-1   | GENERATED ROOT PASSWORD: mistral/Blue\nweb-1  | listening on 8080",
      values: ["mistral/Blue"],
    },
    {
      kind: "compose-log",
      text: "api_1      | 2024-11-05 08:14:22 DEBUG password=tramontana user=crm",
      values: ["tramontana"],
    },
    { kind: "compose-log", text: "worker-2  | SMTP_PASSWORD=levanter3", values: ["levanter3"] },
    {
      kind: "log",
      text: "2024-11-05T08:14:22.118Z INFO  initial admin password: ostro-libeccio",
      values: ["ostro-libeccio"],
    },
    {
      kind: "log",
      text: "[08:14:22] [INFO] auth_token=f6e64642e9bfcc0a5d3d3803ee98f278 user=mira",
      values: ["f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    {
      kind: "log",
      text: "Nov  5 08:14:22 web1 app[811]: login failed for mira with password 'gregale'",
      values: ["gregale"],
    },
    {
      kind: "log",
      text: "Jenkins initial setup is required. Please use the following password to proceed to installation:\n\nf6e64642e9bfcc0a5d3d3803ee98f278\n\nThis may also be found at: /var/lib/jenkins/secrets/initialAdminPassword",
      values: ["f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    {
      kind: "log",
      text: '10.0.2.4 - - [05/Nov/2024:08:14:22 +0100] "GET /login?user=mira&password=bora%20wind&next=/ HTTP/1.1" 302 0',
      values: ["bora%20wind"],
    },
    {
      kind: "log",
      text: "[Note] A temporary password is generated for root@localhost: tG5_kq;Wz9rL",
      values: ["tG5_kq;Wz9rL"],
    },
    {
      kind: "log",
      text: 'I1105 08:14:22.118000   811 main.go:42] flags: --token="d02041cf710da4224f7985ab8d0193bb516e92e0" --v=2',
      values: ["d02041cf710da4224f7985ab8d0193bb516e92e0"],
    },
    { kind: "log", text: 'level=debug msg="bind" dn="cn=svc" bind_password="meltemi sea"', values: ["meltemi sea"] },
    {
      kind: "log",
      text: "POST /oauth/token body: grant_type=password&username=mira&password=khamsin&client_id=web",
      values: ["khamsin"],
    },
    {
      kind: "log",
      text: "✔ Password for user elastic successfully reset.\nNew value: p9K=harmattan+2",
      values: ["p9K=harmattan+2"],
    },
    { kind: "log", text: "username › mira\npassword › pampero\n✓ logged in", values: ["pampero"] },
    { kind: "ansi", text: "\u001b[32mDB_PASSWORD\u001b[0m=\u001b[33mvermilion\u001b[0m", values: ["vermilion"] },
    { kind: "ansi", text: '\u001b[36m"password"\u001b[0m: \u001b[32m"ultramarine"\u001b[0m,', values: ["ultramarine"] },
    {
      kind: "ansi",
      text: "\u001b[1mPassword:\u001b[22m \u001b[38;5;208mburnt-sienna\u001b[39m",
      values: ["burnt-sienna"],
    },
    {
      kind: "ansi",
      text: "\u001b[31m-password: gamboge\u001b[m\n\u001b[32m+password: celadon4\u001b[m",
      values: ["gamboge", "celadon4"],
    },
    { kind: "nbsp", text: "Password: cerulean/9", values: ["cerulean/9"] },
    { kind: "nbsp", text: 'password = "heliotrope"', values: ["heliotrope"] },
    { kind: "nbsp", text: "DB_PASSWORD : chartreuse ", values: ["chartreuse"] },
    {
      kind: "continuation",
      text: "docker run \\\n  -e MYSQL_ROOT_PASSWORD=\\\nperiwinkle \\\n  mysql:8",
      values: ["periwinkle"],
    },
    {
      kind: "continuation",
      text: "curl -X POST https://api.birkenhof.net/login \\\n  -d username=mira \\\n  -d password=amaranth.red",
      values: ["amaranth.red"],
    },
    {
      kind: "continuation",
      text: "./migrate --user crm \\\n  --password \\\n  'fallow field' \\\n  up",
      values: ["fallow field"],
    },
    {
      kind: "continuation",
      text: 'Invoke-Sqlcmd -ServerInstance sql01 `\n  -Username sa `\n  -Password "Stubble+Field" `\n  -Query "SELECT 1"',
      values: ["Stubble+Field"],
    },
    { kind: "heredoc", text: "cat > .env <<'EOT'\nPORT=8080\nDB_PASSWORD=haywain\nEOT", values: ["haywain"] },
    {
      kind: "heredoc",
      text: "sudo tee /etc/app.ini <<EOF >/dev/null\n[db]\npassword = millrace&pond\nEOF",
      values: ["millrace&pond"],
    },
    {
      kind: "heredoc",
      text: "psql -U postgres <<SQL\nALTER ROLE crm WITH PASSWORD 'weathercock';\nSQL",
      values: ["weathercock"],
    },
    { kind: "sql", text: "CREATE USER 'crm'@'%' IDENTIFIED BY 'barn.swallow';", values: ["barn.swallow"] },
    {
      kind: "sql",
      text: "ALTER USER root@localhost IDENTIFIED WITH mysql_native_password BY 'threshing#floor';",
      values: ["threshing#floor"],
    },
    {
      kind: "sql",
      text: "CREATE ROLE report LOGIN PASSWORD 'hay''loft' VALID UNTIL '2026-01-01';",
      values: ["hay''loft"],
    },
    { kind: "sql", text: "SET PASSWORD FOR 'crm'@'localhost' = PASSWORD('cider press');", values: ["cider press"] },
    {
      kind: "sql",
      text: "CREATE LOGIN crm WITH PASSWORD = N'Wheel!wright5', CHECK_POLICY = OFF;",
      values: ["Wheel!wright5"],
    },
    {
      kind: "sql",
      text: "INSERT INTO users (login, password, role) VALUES ('mira', 'cooper$barrel', 'admin');",
      values: ["cooper$barrel"],
    },
    { kind: "sql", text: "UPDATE settings SET value = 'farrier' WHERE name = 'smtp_password';", values: ["farrier"] },
    { kind: "sql", text: "UPDATE users SET password='tinsmith@2' WHERE id=4;", values: ["tinsmith@2"] },
    { kind: "sql", text: "GRANT ALL ON crm.* TO 'crm'@'%' IDENTIFIED BY \"chandler\"", values: ["chandler"] },
    { kind: "sql", text: "CREATE USER crm IDENTIFIED BY fletcher9 DEFAULT TABLESPACE users;", values: ["fletcher9"] },
    {
      kind: "sql",
      text: "SELECT dblink_connect('host=db2 user=crm password=wainwright dbname=crm');",
      values: ["wainwright"],
    },
    {
      kind: "sql",
      text: "CREATE USER MAPPING FOR crm SERVER lager OPTIONS (user 'crm', password 'thatcher/roof');",
      values: ["thatcher/roof"],
    },
    {
      kind: "sql",
      text: "postgres=# ALTER USER postgres PASSWORD 'lamplighter';\nALTER ROLE",
      values: ["lamplighter"],
    },
    {
      kind: "prompt-en",
      text: "the password is sandcastle, user is admin. can you log in and check the cron jobs?",
      values: ["sandcastle"],
    },
    {
      kind: "prompt-en",
      text: "Please connect to the staging db (user crm, password: moss&Fern) and list the tables.",
      values: ["moss&Fern"],
    },
    {
      kind: "prompt-en",
      text: 'I changed the root password to "three blue herons" yesterday, use that',
      values: ["three blue herons"],
    },
    {
      kind: "prompt-en",
      text: "my api key is G8KkO78fZj189jFPH7ltgjSTuzqEqlRL — put it into the config",
      values: ["G8KkO78fZj189jFPH7ltgjSTuzqEqlRL"],
    },
    {
      kind: "prompt-en",
      text: "login with mira / Tumble.weed8 on https://crm.birkenhof.net",
      values: ["Tumble.weed8"],
    },
    { kind: "prompt-en", text: "The wifi password for the test bench is driftwood!", values: ["driftwood!"] },
    { kind: "prompt-en", text: "use pw Kelp-forest and don't commit it", values: ["Kelp-forest"] },
    {
      kind: "prompt-en",
      text: "The secret's still $pindrift in prod, so set CLIENT_SECRET to that",
      values: ["$pindrift"],
    },
    { kind: "prompt-en", text: "PIN for the signing token is 774209, just type it when it asks", values: ["774209"] },
    { kind: "prompt-de", text: "Das Passwort lautet Butterstulle9, Benutzer ist admin.", values: ["Butterstulle9"] },
    { kind: "prompt-de", text: "Kennwort: Zwetschge! Bitte danach den Dienst neu starten.", values: ["Zwetschge!"] },
    {
      kind: "prompt-de",
      text: "Nimm als Passwort für die Datenbank „Grünkohl mit Pinkel“ und leg den Nutzer an.",
      values: ["Grünkohl mit Pinkel"],
    },
    {
      kind: "prompt-de",
      text: "Der Zugangsschlüssel ist f6e64642e9bfcc0a5d3d3803ee98f278.",
      values: ["f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    {
      kind: "prompt-de",
      text: "Die Zugangsdaten sind Benutzer mira und Passwort Pumpernickel7",
      values: ["Pumpernickel7"],
    },
    { kind: "prompt-fr", text: "Le mot de passe est Coquelicot22, l'utilisateur est admin.", values: ["Coquelicot22"] },
    { kind: "prompt-fr", text: "mot de passe : « brume du matin »", values: ["brume du matin"] },
    { kind: "prompt-fr", text: "Voici le mdp de la base : @Libellule", values: ["@Libellule"] },
    {
      kind: "prompt-fr",
      text: "La clé secrète est sq5T8FUtkbLPhlWnSiyZ1Y2o, mets-la dans le fichier .env",
      values: ["sq5T8FUtkbLPhlWnSiyZ1Y2o"],
    },
    { kind: "prompt-es", text: "La contraseña es Girasol88 y el usuario es admin.", values: ["Girasol88"] },
    { kind: "prompt-es", text: "contraseña: luna.de.abril", values: ["luna.de.abril"] },
    { kind: "prompt-es", text: "usa la clave Madreselva! para entrar al servidor", values: ["Madreselva!"] },
    { kind: "prompt-zh", text: "数据库密码：qingwa2031，用户名是 crm", values: ["qingwa2031"] },
    { kind: "prompt-zh", text: "密码是 Zhulin&feng，请帮我登录服务器", values: ["Zhulin&feng"] },
    { kind: "prompt-zh", text: "口令: hetang-yuese", values: ["hetang-yuese"] },
    {
      kind: "prompt-zh",
      text: "API密钥为 f6e64642e9bfcc0a5d3d3803ee98f278，写到配置里",
      values: ["f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    { kind: "prompt-ja", text: "パスワードは Kawasemi7 です。ログインして確認してください。", values: ["Kawasemi7"] },
    { kind: "prompt-ja", text: "パスワード：yuki/usagi", values: ["yuki/usagi"] },
    { kind: "prompt-ja", text: "DBの暗証番号は「hotaru.no.yoru」です", values: ["hotaru.no.yoru"] },
    { kind: "prompt-ru", text: "Пароль: Snegir_44, логин admin", values: ["Snegir_44"] },
    { kind: "prompt-ru", text: "пароль от базы — Ромашка77, проверь подключение", values: ["Ромашка77"] },
    {
      kind: "prompt-ru",
      text: "Секретный ключ: f6e64642e9bfcc0a5d3d3803ee98f278",
      values: ["f6e64642e9bfcc0a5d3d3803ee98f278"],
    },
    { kind: "prompt-pt", text: "A senha é Jabuticaba9 e o usuário é admin.", values: ["Jabuticaba9"] },
    { kind: "prompt-pt", text: "senha do banco: beija.flor!", values: ["beija.flor!"] },
    { kind: "prompt-pt", text: 'Use a palavra-passe "maré alta" para o servidor de testes', values: ["maré alta"] },
    { kind: "prompt-it", text: "La password è Rosmarino5, l'utente è admin.", values: ["Rosmarino5"] },
    { kind: "prompt-it", text: "parola d'ordine: vento&mare", values: ["vento&mare"] },
    {
      kind: "prompt-it",
      text: "la chiave segreta è sq5T8FUtkbLPhlWnSiyZ1Y2o, mettila nel file di configurazione",
      values: ["sq5T8FUtkbLPhlWnSiyZ1Y2o"],
    },
  ],
  nearMisses: [
    {
      kind: "code",
      text: "const password = req.body.password\nif (!password) return res.status(400).json({ error: 'password is required' })",
    },
    {
      kind: "code",
      text: "def verify_password(plain: str, hashed: str) -> bool:\n    return pwd_context.verify(plain, hashed)",
    },
    { kind: "code", text: 'password = getpass.getpass("Password: ")' },
    { kind: "code", text: 'token = request.headers.get("Authorization", "").removeprefix("Bearer ")' },
    { kind: "code", text: 'String password = config.getString("db.password");' },
    {
      kind: "code",
      text: 'secret := os.Getenv("CLIENT_SECRET")\nif secret == "" {\n\tlog.Fatal("CLIENT_SECRET is not set")\n}',
    },
    {
      kind: "code",
      text: "let token = lexer.next_token()?;\nmatch token.kind { TokenKind::Ident => parse_ident(token), _ => Err(Unexpected(token)) }",
    },
    { kind: "code", text: "const tokens = tokenizer.encode(text); console.log(tokens.length)" },
    { kind: "code", text: "user.password = bcrypt.hashSync(password, saltRounds)" },
    { kind: "code", text: "passwordInput.addEventListener('input', () => validatePassword(passwordInput.value))" },
    { kind: "code", text: 'self.password_field = forms.CharField(widget=forms.PasswordInput, label=_("Password"))' },
    { kind: "code", text: "private_key = serialization.load_pem_private_key(pem_bytes, password=None)" },
    { kind: "code", text: "if (password !== passwordConfirmation) throw new Error('Passwords do not match')" },
    { kind: "code", text: "api_key = settings.api_key or prompt_for_key()" },
    { kind: "code", text: "const { password, ...rest } = user\nreturn rest" },
    { kind: "code", text: "for key, value in sorted(table.items()):\n    print(key, value)" },
    { kind: "code", text: "secret = base64.b32encode(os.urandom(20)).decode()" },
    { kind: "code", text: "password: this.configService.get<string>('database.password')," },
    { kind: "code", text: "credentials = service_account.Credentials.from_service_account_file(path)" },
    { kind: "code", text: "$password = $_POST['password'] ?? '';" },
    { kind: "code", text: "var token = await _tokenService.CreateAsync(user, cancellationToken);" },
    { kind: "code", text: "cancellationToken: CancellationToken.None" },
    { kind: "code", text: "password = Rails.application.credentials.dig(:smtp, :password)" },
    { kind: "code", text: "auth: { user: config.smtpUser, pass: config.smtpPass }," },
    { kind: "code", text: "passwd, err := term.ReadPassword(int(os.Stdin.Fd()))" },
    { kind: "code", text: "expect(screen.getByLabelText('Password')).toHaveAttribute('type', 'password')" },
    {
      kind: "code",
      text: 'db.connect(user=args.user, password=args.password or keyring.get_password("crm", args.user))',
    },
    { kind: "code", text: "const isSecret = /password|secret|token/i.test(name)" },
    { kind: "code", text: "key = lambda row: row.created_at" },
    { kind: "code", text: "csrf_token = generate_csrf()" },
    {
      kind: "type",
      text: "interface LoginRequest {\n  username: string\n  password: string\n  token?: string | null\n}",
    },
    {
      kind: "type",
      text: 'type Config struct {\n\tUser     string `json:"user"`\n\tPassword string `json:"password,omitempty"`\n}',
    },
    { kind: "type", text: "class Credentials(BaseModel):\n    api_key: SecretStr\n    password: Optional[str] = None" },
    { kind: "type", text: "pub struct Auth { pub token: Option<String>, pub secret: Vec<u8> }" },
    { kind: "type", text: "data class Login(val user: String, val password: CharArray)" },
    { kind: "type", text: '"password": { "type": "string", "format": "password", "minLength": 8, "writeOnly": true }' },
    { kind: "type", text: "  token: z.string().min(1),\n  secret: z.string().optional()," },
    { kind: "type", text: "input SignInInput { email: String! password: String! }" },
    { kind: "type", text: "message LoginRequest {\n  string username = 1;\n  string password = 2;\n}" },
    { kind: "lookup", text: "password: ${DB_PASSWORD}" },
    {
      kind: "lookup",
      text: "          NPM_TOKEN: ${{ secrets.NPM_TOKEN }}\n          password: ${{ secrets.REGISTRY_PASSWORD }}",
    },
    { kind: "lookup", text: 'db_password: "{{ vault_db_password }}"' },
    { kind: "lookup", text: 'password = var.db_password\ntoken    = data.vault_generic_secret.ci.data["token"]' },
    {
      kind: "lookup",
      text: "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: orders-db\n      key: password",
    },
    {
      kind: "lookup",
      text: 'export PGPASSWORD="$(aws secretsmanager get-secret-value --secret-id prod/db --query SecretString --output text)"',
    },
    { kind: "lookup", text: 'mysql -u root -p"$MYSQL_ROOT_PASSWORD" crm' },
    { kind: "lookup", text: "POSTGRES_PASSWORD_FILE=/run/secrets/postgres_password" },
    { kind: "lookup", text: 'curl -H "Authorization: Bearer $TOKEN" https://api.birkenhof.net/v2/orders' },
    { kind: "lookup", text: "spring.datasource.password=${DB_PASSWORD:}" },
    { kind: "lookup", text: 'ssh-keygen -t ed25519 -f ~/.ssh/id_deploy -N "" -C deploy' },
    { kind: "lookup", text: 'echo "$REGISTRY_TOKEN" | docker login -u ci --password-stdin registry.birkenhof.net' },
    { kind: "lookup", text: 'password_command = "pass show mail/kiefernweg"' },
    { kind: "lookup", text: "adminPassword: !Ref AdminPassword" },
    { kind: "lookup", text: "SecretString: '{{resolve:secretsmanager:prod/db:SecretString:password}}'" },
    { kind: "lookup", text: "$env:SQL_PASSWORD = (Get-Secret -Name sql -AsPlainText)" },
    { kind: "lookup", text: 'token = "op://infra/registry/token"' },
    { kind: "lookup", text: "postgres://${DB_USER}:${DB_PASS}@${DB_HOST}:5432/crm" },
    { kind: "lookup", text: "existingSecret: orders-db\nsecretName: orders-tls\npasswordKey: postgres-password" },
    { kind: "lookup", text: "set /p PASSWORD=Enter password:" },
    { kind: "lookup", text: "gpg --batch --passphrase-file /run/keys/pass -d backup.gpg" },
    { kind: "lookup", text: "openssl pkcs12 -in cert.p12 -passin env:P12_PASS -nodes" },
    { kind: "placeholder", text: "DB_PASSWORD=<your-password>\nAPI_KEY=YOUR_API_KEY" },
    { kind: "placeholder", text: "password: ********\ntoken: [REDACTED]" },
    { kind: "placeholder", text: '{"password": "***", "apiKey": "sk' + '-...", "secret": null}' },
    { kind: "placeholder", text: "postgres://user:password@localhost:5432/db" },
    { kind: "placeholder", text: "curl -u USERNAME:PASSWORD https://host/path" },
    { kind: "placeholder", text: "PASSWORD=\nSECRET=\"\"\nTOKEN=''" },
    { kind: "placeholder", text: "  Token: gh" + "p_************************************" },
    { kind: "placeholder", text: "Authorization: Bearer <token>" },
    { kind: "placeholder", text: "aws_secret_access_key = ****************7Qzd" },
    { kind: "placeholder", text: 'password = "(sensitive value)"\n  + admin_password = (known after apply)' },
    {
      kind: "placeholder",
      text: '[FILTERED] Parameters: {"user"=>{"email"=>"mira@birkenhof.net", "password"=>"[FILTERED]"}}',
    },
    { kind: "placeholder", text: "mysql://<user>:<password>@<host>/<database>" },
    { kind: "placeholder", text: 'password: "TODO"\napi_token: null' },
    {
      kind: "hash",
      text: "commit 75487916edb5a4bf8f0394045a360e5312b19340\nAuthor: Mira Lind <mira@birkenhof.net>\n\n    Rotate the signing key and drop the old password column",
    },
    {
      kind: "hash",
      text: "21436f1bc0010625d0a6ff40b8674aea9588b819a1af08f0248f9244a71f7866  secrets-operator_0.9.2_linux_amd64.tar.gz\n7e5b96e523350c300a71a36efa054dae2f45c1d704ec49d2018b2e05b74e0037  token-service_1.4.0_linux_amd64.tar.gz",
    },
    {
      kind: "hash",
      text: '    "node_modules/js-tokens": {\n      "version": "4.0.0",\n      "resolved": "https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz",\n      "integrity": "sha512-ihTevQ/tRtvbw/WkzhD5oJGxUDbbONhPZfCCtpyREqbIM0ijOO3dcjKJpekLryIUa9CZgA0bO3351h6Jp0/VDd=="\n    },',
    },
    {
      kind: "hash",
      text: '[[package]]\nname = "secrecy"\nversion = "0.8.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "2833a946653147a83a6f6f0a7f03d4a746c0a315538cb0d3db4615cf20ea8260"',
    },
    {
      kind: "hash",
      text: "github.com/golang-jwt/jwt/v5 v5.2.1 h1:c0RDDdp+9XVpGfuawCyqqkj/pGgSDgvhZ9stwGFui4J=\ngithub.com/golang-jwt/jwt/v5 v5.2.1/go.mod h1:tqTO1BIQ2nFbuTsjfmhD1TPi3TLF/Ih5ojurcbA41zb=",
    },
    {
      kind: "hash",
      text: "vault@sha256:21436f1bc0010625d0a6ff40b8674aea9588b819a1af08f0248f9244a71f7866: Pulling from hashicorp/vault\nDigest: sha256:21436f1bc0010625d0a6ff40b8674aea9588b819a1af08f0248f9244a71f7866",
    },
    {
      kind: "hash",
      text: "cache key: node-modules-linux-cd61c3ead4cc06dcb43b2b763ecc3d2d\nCache restored from key: node-modules-linux-cd61c3ead4cc06dcb43b2b763ecc3d2d",
    },
    { kind: "hash", text: "index 3f1c2ab..9d07e44 100644\n--- a/src/password.ts\n+++ b/src/password.ts" },
    {
      kind: "hash",
      text: "passlib==1.7.4 \\\n    --hash=sha256:7e5b96e523350c300a71a36efa054dae2f45c1d704ec49d2018b2e05b74e0037",
    },
    {
      kind: "hash",
      text: 'password-policy@^2.1.0:\n  version "2.1.3"\n  resolved "https://registry.yarnpkg.com/password-policy/-/password-policy-2.1.3.tgz#826de8da04f88c459ffe2dbad7d00d53919896f5"',
    },
    { kind: "id", text: "keyId: 0b8f7c1e-4d52-4a7e-9d11-5e2c61f0a7d3\nsecretVersion: 4" },
    { kind: "id", text: "arn:aws:secretsmanager:eu-central-1:480213377451:secret:prod/orders/db-a1B2c3" },
    {
      kind: "id",
      text: '{"id":"toolu_01Q8sVhq3ZtYk2mN7dRfW5xP","type":"tool_use","name":"read_secret_names","input":{}}',
    },
    { kind: "id", text: "session 5f0c7f0e-1f6b-4a39-8b0a-0a5b6f1d2c44 started for user mira" },
    {
      kind: "id",
      text: "trace_id=cd61c3ead4cc06dcb43b2b763ecc3d2d span_id=00f067aa0ba902b7 route=/login/password status=200",
    },
    {
      kind: "public-key",
      text: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIpZg4sZQr3VFCgL/kaa6DEcAMI1yPijlCeROJ1QgF6n4 mira@birkenhof",
    },
    {
      kind: "public-key",
      text:
        "--" +
        "---BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA84BgFgaFyv8FHnPLdqwz\nDGoRxzsihzNSVuoT7RSDSfTOyYAMAoxo/FoX5HP0BOh3brZMP/zDxgwPmDP7rmKl\npvnclstiVCuk0Rt9TVad4a2sxFRkzi+dCPmjM0Qi3nJ9reedob/3kgTHWKhRd6o7\n3FExUW38MSyu8Jr0FXBdLzy2+RkE67YGRA5Avv+75rhOE0RU/kb2d0B9CctOcbe+\n2mCauulMC9rubeU/tXTGlS==\n-----END PUBLIC KEY-----",
    },
    {
      kind: "public-key",
      text:
        "$ openssl x509 -in server.crt\n--" +
        "---BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBamFgWd0Sk/BV4k/Bo\nlb5QW66nIj0p621hCuwVfpyUnHXSHsBZ26F7Jk6PyTkFXTHh2xeT0OHyIpALfMuL\nRX9GU6P1bVd3aTSFp4szZXQFowXDIFPyHOGCtio/RkUzXHdJsq8WUqwfIb2F64F3\n1gzNgY2q2lmpeb7+JBnHJhuO/BU3hxLrkn4Wu4y4mv38X9Q/N/8U+oU/AccfIDBY\niGdW/94DwUSMVBmW5gBQ66Qc4VcG+z6GUy6wkTMbSJx0njz4hhZLuxzMmffxTvRf\narTmUYBKkY+Zv1eXcG18qlZXyBYK0A1ohdYVU63xXNnorO4tFpuSk5PupQoOelg+\nu7kyZKzGBw7RrAaWlyfJIz==\n-----END CERTIFICATE-----",
    },
    { kind: "public-key", text: "256 SHA256:pZg4sZQr3VFCgL/kaa6DEcAMI1yPijlCeROJ1QgF6n4 mira@birkenhof (ED25519)" },
    {
      kind: "public-key",
      text: "The authenticity of host 'git.birkenhof.net (10.0.1.9)' can't be established.\nED25519 key fingerprint is SHA256:pZg4sZQr3VFCgL/kaa6DEcAMI1yPijlCeROJ1QgF6n4.",
    },
    {
      kind: "public-key",
      text: "[Peer]\nPublicKey = c0RDDdp+9XVpGfuawCyqqkj/pGgSDgvhZ9stwGFui4J=\nAllowedIPs = 10.8.0.0/24",
    },
    {
      kind: "token-count",
      text: '{"usage":{"input_tokens":18422,"output_tokens":911,"cache_read_input_tokens":16384}}',
    },
    { kind: "token-count", text: "Total tokens: 20,133 (prompt 18,422 · completion 1,711), max_tokens=4096" },
    { kind: "token-count", text: 'model: gpt-4o, max_tokens: 1024, stop_token: "</s>", pad_token_id: 50256' },
    { kind: "token-count", text: "eos_token: <|endoftext|>\nbos_token: <s>\nunk_token: <unk>" },
    { kind: "token-count", text: "Context left: 61% — 78k tokens used, token budget 200k" },
    {
      kind: "test-output",
      text: " PASS  test/password.test.ts\n  ✓ rejects a short password (4 ms)\n  ✓ accepts a passphrase with spaces (2 ms)\n  ✓ token: refreshes after expiry (11 ms)",
    },
    {
      kind: "test-output",
      text: "tests/test_auth.py::test_password_reset PASSED\ntests/test_auth.py::test_secret_rotation FAILED",
    },
    {
      kind: "test-output",
      text: "--- FAIL: TestParseToken (0.00s)\n    token_test.go:31: token: got IDENT, want STRING",
    },
    { kind: "test-output", text: "AssertionError: expected password to be undefined" },
    { kind: "test-output", text: "not ok 14 - secret: lookup by name\n# pass 13\n# fail 1" },
    { kind: "test-output", text: 'SyntaxError: Unexpected token \'}\', "{"a":1}}" is not valid JSON' },
    {
      kind: "help",
      text: "  -p, --password[=name] Password to use when connecting to server. If password is\n                      not given it's asked from the tty.\n  -P, --port=#        Port number to use for connection.",
    },
    {
      kind: "help",
      text: "Options:\n  --token string       API token (default: read from keychain)\n  --secret-file path   file that holds the client secret\n  --password-stdin     take the password from stdin",
    },
    { kind: "help", text: "usage: sshpass [-f filename|-d num|-p password|-e] command parameters" },
    { kind: "help", text: "error: the following arguments are required: --password" },
    {
      kind: "help",
      text: 'psql: error: connection to server at "db" failed: FATAL:  password authentication failed for user "crm"',
    },
    { kind: "help", text: "curl: -u, --user <user:password>  Server user and password" },
    {
      kind: "ddl",
      text: "CREATE TABLE users (\n  id bigserial PRIMARY KEY,\n  login text NOT NULL,\n  password_hash varchar(255) NOT NULL,\n  reset_token uuid,\n  secret bytea\n);",
    },
    { kind: "ddl", text: "ALTER TABLE clients ADD COLUMN api_token varchar(64) DEFAULT NULL;" },
    { kind: "ddl", text: "SELECT u.login, u.password IS NOT NULL AS has_password FROM users u;" },
    { kind: "ddl", text: "CREATE UNIQUE INDEX idx_tokens_key ON tokens (key);" },
    { kind: "ddl", text: "t.string :password_digest, null: false\nt.datetime :reset_password_sent_at" },
    { kind: "columns", text: "id,login,password_set_at,token_expires_at\n1,mira,2024-03-01,2025-03-01" },
    {
      kind: "columns",
      text: '                 Table "public.users"\n    Column     |          Type          | Nullable\n---------------+------------------------+----------\n password_hash | character varying(255) | not null\n api_token     | uuid                   |',
    },
    {
      kind: "columns",
      text: "| Field | Type | Required |\n|---|---|---|\n| password | string | yes |\n| token | string | no |",
    },
    {
      kind: "docs",
      text: "## Passwords\nSet `DB_PASSWORD` in the environment before starting the server. The password must not be empty.",
    },
    { kind: "docs", text: "The `secret` option names the Kubernetes secret; `token` is the path of a mounted file." },
    { kind: "docs", text: "* password: the password of the user, a string\n* token: optional, issued by /login" },
    { kind: "docs", text: "@param password the plain text password, never stored\n@return a signed token" },
    {
      kind: "docs",
      text: "See https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens",
    },
    { kind: "docs", text: "Password requirements: at least 12 characters, one digit, one symbol." },
    { kind: "policy", text: "minimum_password_length = 14\npassword_reuse_prevention = 24\nmax_password_age = 90" },
    {
      kind: "policy",
      text: "password requisite pam_pwquality.so retry=3 minlen=12\nPasswordAuthentication no\nPermitRootLogin prohibit-password",
    },
    { kind: "policy", text: 'path "secret/data/orders/*" {\n  capabilities = ["read", "list"]\n}' },
    {
      kind: "policy",
      text: "access_token_lifetime: 15m\nrefresh_token_rotation: true\ntoken_endpoint_auth_method: client_secret_basic",
    },
    { kind: "policy", text: '"Action": ["secretsmanager:GetSecretValue", "kms:Decrypt"], "Resource": "*"' },
    { kind: "prose", text: "The password is checked on the server, so the client never sees whether the user exists." },
    { kind: "prose", text: "Can you find out why the token is refreshed twice when the tab wakes up?" },
    { kind: "prose", text: "The secret is to keep the functions small and the names honest." },
    { kind: "prose", text: "Das Passwort ist abgelaufen und muss neu gesetzt werden." },
    { kind: "prose", text: "Le mot de passe est obligatoire et doit contenir au moins huit caractères." },
    { kind: "prose", text: "La contraseña es incorrecta. Inténtelo de nuevo." },
    { kind: "prose", text: "密码不能为空，请重新输入。" },
    { kind: "prose", text: "パスワードは8文字以上で入力してください。" },
    { kind: "prose", text: "Пароль должен содержать не менее восьми символов." },
    { kind: "prose", text: "A senha é obrigatória." },
    { kind: "prose", text: "La password è stata modificata correttamente." },
    { kind: "prose", text: "Please do not paste your API key here; I will read it from the keychain." },
    { kind: "prose", text: "key: the most important thing is that the password field keeps focus" },
    { kind: "commit", text: "fix(auth): hash password before comparing, drop token from logs" },
    {
      kind: "commit",
      text: "a1c9e02 Add secret scanning to CI\n77be410 Rename password -> passphrase in the settings dialog\n0f42d9c token: expire after 15 minutes",
    },
    { kind: "commit", text: "Password: move the strength meter below the field" },
    { kind: "log", text: "2024-11-05T08:14:22Z INFO auth: password changed for user mira" },
    { kind: "log", text: 'secret/orders-db created\nsecret "regcred" deleted' },
    {
      kind: "log",
      text: "NAME        TYPE                             DATA   AGE\norders-db   Opaque                           2      41d\nregcred     kubernetes.io/dockerconfigjson   1      41d",
    },
    { kind: "log", text: "WARN token expired at 2024-11-05T08:14:22Z, refreshing" },
    {
      kind: "log",
      text: "Enter passphrase for key '/home/mira/.ssh/id_ed25519':\nIdentity added: /home/mira/.ssh/id_ed25519",
    },
    { kind: "log", text: "[sudo] password for mira:\nSorry, try again." },
    { kind: "log", text: "password=true token=false secret_count=3" },
    {
      kind: "i18n",
      text: '"password": "Passwort",\n"forgotPassword": "Passwort vergessen?",\n"newPassword": "Neues Passwort",\n"token": "Zugangsschlüssel"',
    },
    {
      kind: "i18n",
      text: "password: Mot de passe\npassword_confirmation: Confirmation du mot de passe\nsecret: Secret",
    },
    { kind: "i18n", text: 'msgid "Password"\nmsgstr "Contraseña"' },
    { kind: "i18n", text: "label.password=Password\nerror.password.required=Please enter your password" },
    { kind: "shortcut", text: '{ "key": "ctrl+shift+p", "command": "workbench.action.showCommands" }' },
    { kind: "shortcut", text: "| Key | Action |\n|---|---|\n| Ctrl+K | clear the line |\n| F2 | rename symbol |" },
    { kind: "design-token", text: "--token-color-primary: #3b82f6;\n--token-space-md: 16px;" },
    {
      kind: "design-token",
      text: '"tokenColors": [{ "scope": "keyword.control", "settings": { "foreground": "#c678dd" } }]',
    },
    {
      kind: "html",
      text: '<input type="password" name="password" placeholder="Password" autocomplete="current-password" required>',
    },
    { kind: "html", text: '<label for="token">Token</label><input id="token" value="">' },
    { kind: "list", text: "src/auth/password.ts\nsrc/auth/token.ts\nsrc/secrets/index.ts\ntest/secrets.test.ts" },
    {
      kind: "list",
      text: "$ gh secret list\nNAME             UPDATED\nDEPLOY_PASSWORD  2024-10-02\nNPM_TOKEN        2024-09-11",
    },
    {
      kind: "list",
      text: "src/auth.ts:14:  const password = form.get('password')\nsrc/auth.ts:22:  if (!token) return redirect('/login')",
    },
    { kind: "list", text: "required: [username, password, token]" },
  ],
};
