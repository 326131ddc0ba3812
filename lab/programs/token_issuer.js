// Issues signed tokens that say when they were issued and until when they hold.
const { createHmac } = require('node:crypto')
const { createServer } = require('node:http')

const sign = (text) => createHmac('sha256', process.env.SECRET).update(text).digest('base64url')
const say = (text) => console.log(`${new Date().toISOString()} INFO [token-issuer] ${text}`)

const server = createServer((request, response) => {
  const subject = new URL(request.url, 'http://token-issuer').searchParams.get('sub')
  const iat = Math.floor(Date.now() / 1000)
  const claims = Buffer.from(JSON.stringify({ sub: subject, iat, exp: iat + 120 })).toString('base64url')
  say(`issued a token for ${subject}`)
  response.end(`${claims}.${sign(claims)}`)
})
process.on('SIGTERM', () => { say('received SIGTERM, stopping'); process.exit(0) })
server.listen(8090, process.env.LISTEN, () => say(`listening on ${process.env.LISTEN}:8090`))
