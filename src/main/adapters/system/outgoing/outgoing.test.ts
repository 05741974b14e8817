import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { inspect, promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { readAuthorities } from './authorities.ts'
import { certificateProblem } from './certificate-problem.ts'
import { openConnectProxy } from './connect-proxy.testkit.ts'
import { applyOutgoing, isRefusedByProxy, outgoingFetch, reasonOf } from './outgoing.ts'
import { readOutgoing } from './read-outgoing.ts'
import { readProxyList } from './system-proxies.ts'

const open: { [Symbol.dispose](): void }[] = []
afterEach(() => {
  for (const one of open.splice(0)) one[Symbol.dispose]()
})

async function listen(server: http.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  })
  return (server.address() as AddressInfo).port
}

async function openProxy(target: number, login?: string) {
  const proxy = await openConnectProxy(target, login)
  open.push({ [Symbol.dispose]: () => void proxy[Symbol.asyncDispose]() })
  return proxy
}

const openServer = async () => {
  const asked: string[] = []
  const port = await listen(
    http.createServer((request, response) => {
      asked.push(request.headers.host ?? '')
      response.end('the server')
    }),
  )
  return { asked, port }
}

const apply = (environment: Readonly<Record<string, string>>) => open.push(applyOutgoing(environment))

/** Mutation: without `setGlobalProxyFromEnv`, the host is not found and the proxy hears nothing. */
describe('what goes out', () => {
  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('goes through the proxy of %s', async (name) => {
    const server = await openServer()
    const proxy = await openProxy(server.port)
    apply({ [name]: `http://127.0.0.1:${proxy.port}` })
    const response = await outgoingFetch('http://models.example/v1/messages', { method: 'POST', body: '{}' })
    expect([response.status, proxy.asked.length]).toEqual([200, 1])
    expect(proxy.asked[0]).toContain('models.example')
  })

  it('asks the proxy of HTTPS_PROXY for a way to the host', async () => {
    const server = await openServer()
    const proxy = await openProxy(server.port)
    apply({ HTTPS_PROXY: `127.0.0.1:${proxy.port}` })
    await expect(outgoingFetch('https://models.example/')).rejects.toThrow('fetch failed')
    expect(proxy.asked).toEqual(['CONNECT models.example:443'])
  })

  it('gives the proxy its login, also with signs that are escaped', async () => {
    const server = await openServer()
    const proxy = await openProxy(server.port, 'me:p@ss word')
    apply({ HTTP_PROXY: `http://me:p%40ss%20word@127.0.0.1:${proxy.port}` })
    expect((await outgoingFetch('http://models.example/')).status).toBe(200)
  })

  // Mutation: without `withEscapedLogin`, Node says "URI malformed", and nothing starts.
  it.each([
    ['me:100%pure', 'me:100%pure'],
    ['CORP\\me:p:a@s/s#w?', 'CORP\\me:p:a@s/s#w?'],
    ['me:50%25', 'me:50%'],
    ['m%40example:ü', 'm@example:ü'],
  ])('takes a login as people write it: %s', async (written, login) => {
    const server = await openServer()
    const proxy = await openProxy(server.port, login)
    apply({ HTTP_PROXY: `http://${written}@127.0.0.1:${proxy.port}` })
    expect((await outgoingFetch('http://models.example/')).status).toBe(200)
    expect(readOutgoing({ HTTP_PROXY: `${written}@proxy.example:1` }).http).toBe('http://proxy.example:1')
  })

  // Mutation: without `onTheWay`, nobody learns that there is a proxy.
  it.each([
    ['fails', (socket: Duplex) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
    ['speaks another protocol', (socket: Duplex) => socket.end('SSH-2.0\r\n')],
    ['closes the way', (socket: Duplex) => socket.end('HTTP/1.1 200 OK\r\n\r\n')],
  ])('an error names the proxy that %s', async (_, answer) => {
    const server = http.createServer()
    server.on('connect', (__, socket) => answer(socket))
    const address = `http://127.0.0.1:${await listen(server)}`
    apply({ ALL_PROXY: address })
    const error = await outgoingFetch('http://models.example/').catch((thrown: unknown) => thrown)
    expect([reasonOf(error), isRefusedByProxy(error)]).toEqual([
      expect.stringMatching(new RegExp(`, through the proxy ${address}$`)),
      false,
    ])
  })

  // Mutation: without `endWithProxy`, it is asked again and again, thousands of times a second.
  it.each(['http', 'https'])('a proxy that ends each connection is asked once: %s', async (scheme) => {
    let asked = 0
    const server = http.createServer()
    server.on('connect', (_, socket) => {
      asked += 1
      socket.end()
    })
    apply({ ALL_PROXY: `http://127.0.0.1:${await listen(server)}` })
    const signal = AbortSignal.timeout(20_000)
    expect(await outgoingFetch(`${scheme}://models.example/`, { signal }).catch(reasonOf)).toMatch(/without an answer/)
    expect(asked).toBe(1)
  })

  it('an error names a proxy that cannot be used, and one that is not there', async () => {
    apply({ ALL_PROXY: 'socks5://127.0.0.1:1' })
    const failed = () => outgoingFetch('http://models.invalid/').catch(reasonOf)
    expect(await failed()).toMatch(/ALL_PROXY names a proxy of the kind socks5\. Write http:/)
    open.pop()?.[Symbol.dispose]()
    apply({ ALL_PROXY: 'http://127.0.0.1:4' })
    expect(await failed()).toMatch(/ECONNREFUSED.*, through the proxy http:\/\/127\.0\.0\.1:4$/)
  })

  it.each(['https', 'http'])('says what to do when the proxy asks for a login: %s', async (scheme) => {
    const server = await openServer()
    const proxy = await openProxy(server.port, 'me:secret')
    apply({ ALL_PROXY: `http://127.0.0.1:${proxy.port}` })
    await expect(outgoingFetch(`${scheme}://models.example/`)).rejects.toMatchObject({
      cause: {
        message: expect.stringMatching(
          new RegExp(
            `the proxy http://127.0.0.1:${proxy.port} asks for a login.*Write it into HTTPS_PROXY as http://name:`,
          ),
        ),
      },
    })
  })

  it.each([
    [403, true],
    [405, true],
    [404, true],
    [503, false],
    [429, false],
  ])('tells a proxy that refuses for good from one that may let through later: %i', async (status, isFinal) => {
    const server = http.createServer()
    server.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`))
    apply({ HTTPS_PROXY: `http://127.0.0.1:${await listen(server)}` })
    const error = await outgoingFetch('https://models.example/').then(
      () => null,
      (thrown) => thrown,
    )
    expect([isRefusedByProxy(error), String(error.cause?.message).includes('models.example')]).toEqual([
      isFinal,
      isFinal,
    ])
  })

  it.each(['localhost', '127.0.0.1'])('goes straight to %s, without a word in NO_PROXY', async (host) => {
    const server = await openServer()
    const proxy = await openProxy(server.port)
    apply({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` })
    await outgoingFetch(`http://${host}:${server.port}/`)
    expect([proxy.asked, server.asked]).toEqual([[], [`${host}:${server.port}`]])
  })

  it.each(['models.example', '.example', '*.example', 'other, models.example', '*'])(
    'goes straight to a host of NO_PROXY: %s',
    async (direct) => {
      const server = await openServer()
      const proxy = await openProxy(server.port)
      apply({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: direct })
      await expect(outgoingFetch('http://models.example:8118/')).rejects.toThrow()
      expect(proxy.asked).toEqual([])
    },
  )
})

// Mutation: without `withoutLogin`, `fetch` refuses the address, and its error repeats the login.
it('a login in an address is a header, and no error has it', async () => {
  const logins: unknown[] = []
  const port = await listen(
    http.createServer((request, response) => {
      logins.push(request.headers.authorization)
      response.end('the server')
    }),
  )
  await outgoingFetch(`http://me:100%pure@127.0.0.1:${port}/`)
  await outgoingFetch(`http://me:other@127.0.0.1:${port}/`, { headers: { Authorization: 'Bearer own' } })
  expect(logins).toEqual([`Basic ${Buffer.from('me:100%pure').toString('base64')}`, 'Bearer own'])
  const error = await outgoingFetch('http://me:secret@models.invalid/').catch((thrown: unknown) => thrown)
  expect(inspect(error)).not.toContain('secret')
})

describe('NO_PROXY in the forms of other programs', () => {
  it.each([
    ['10.0.0.0/8', 'http://10.1.2.3/', 'http://11.1.2.3/'],
    ['192.168.1.128/25', 'https://192.168.1.200:8443/', 'https://192.168.1.1/'],
    ['fd00::/8', 'http://[fd12::1]/', 'http://[fe80::1]/'],
    ['[fd00::]/8', 'http://[fd12::1]/', 'http://10.1.2.3/'],
    ['fd00::1', 'http://[fd00:0::1]:80/', 'http://[fd00::2]/'],
    ['[fd00::1]:8080', 'http://[fd00::1]:8080/', 'http://[fd00::1]/'],
    ['10.1.2.3:443', 'https://10.1.2.3/', 'http://10.1.2.3/'],
    ['models.example:8080', 'http://a.models.example:8080/', 'http://models.example/'],
    ['MODELS.Example.', 'http://models.example/', 'http://notmodels.example/'],
    ['models.example', 'http://models.example./', 'http://models.example.org/'],
    ['*models.example', 'http://my-models.example/', 'http://my-models.example.org/'],
    ['models.*', 'http://models.local/', 'http://mymodels.local/'],
    ['a*.example:8080', 'http://ab.example:8080/', 'http://b.example:8080/'],
    ['https://models.example/v1', 'https://models.example/v2', 'https://example/'],
    ['a.example;b.example|"c.example"', 'http://c.example/', 'http://d.example/'],
    ['*', 'http://any.example/', null],
    ['', 'http://127.9.9.9/', 'http://128.0.0.1/'],
    ['', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:10.0.0.1]/'],
    ['', 'http://[::1]:11434/', 'http://[::2]/'],
  ])('%j: %s directly, %s not', (words, direct, other) => {
    const { isDirect, problems } = readOutgoing({ HTTP_PROXY: 'http://proxy.example', NO_PROXY: words })
    expect([isDirect(new URL(direct)), other !== null && isDirect(new URL(other)), problems]).toEqual([true, false, []])
  })

  it.each(['10.0.0.0/33', '10.0.0/8', '[models.example]', 'fd00::/129', '<local>'])(
    'names a word that means nothing: %s',
    (word) => {
      const { problems } = readOutgoing({ NO_PROXY: `models.example,${word}` })
      expect(problems).toEqual([expect.stringContaining(`NO_PROXY names ${word}, which is no host`)])
    },
  )

  // Mutation: without `nameDirect` in `outgoingFetch`, the proxy is asked.
  it('counts for what is sent, also beside an answer that is still coming through the proxy', async () => {
    const server = await openServer()
    let end = () => {}
    const slow = await listen(
      http.createServer((_, response) => {
        response.write('one ')
        end = () => response.end('two')
      }),
    )
    const proxy = await openProxy(slow)
    apply({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` })
    const coming = await outgoingFetch('http://models.example/')
    expect(await (await outgoingFetch(`http://0.0.0.0:${server.port}/`)).text()).toBe('the server')
    end()
    expect(await coming.text()).toBe('one two')
    expect(proxy.asked).toEqual(['CONNECT models.example:80'])
  })
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Files of a certificate for `localhost` that nobody but itself signed. */
function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-outgoing-'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, '-keyout', key, '-out', certificate],
  ])
  expect(made.status).toBe(0)
  return { key, certificate }
}

/** Mutation: without `setDefaultCACertificates`, nobody knows who signed the certificate. */
it.skipIf(!hasOpenssl)('trusts whom the system trusts', async () => {
  const { key, certificate } = makeCertificate()
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, response) =>
    response.end('trusted'),
  )
  const port = await listen(server)
  // Another process, because what the system trusts is read once in each.
  const script = `import { outgoingFetch } from ${JSON.stringify(import.meta.resolve('./outgoing.ts'))}
  const answer = await outgoingFetch('https://localhost:${port}/').then((one) => one.text(), (error) => error.cause.code)
  process.stdout.write(answer)`
  const said = (environment: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env: environment })
  expect((await said({ ...process.env, SSL_CERT_FILE: certificate })).stdout).toBe('trusted')
  expect((await said({ ...process.env, SSL_CERT_FILE: '' })).stdout).toMatch(/SELF_SIGNED/)
})

it('is told without logins, and with what cannot be used', () => {
  expect(readOutgoing({ HTTPS_PROXY: 'http://me:secret@proxy.example:3128', NO_PROXY: 'a.example' })).toMatchObject({
    ...{ https: 'http://proxy.example:3128', http: null, problems: [] },
    direct: 'a.example,localhost,127.0.0.1,[::1],::1',
  })
  expect(readOutgoing({ ALL_PROXY: 'socks5://proxy.example:1080' }).problems).toEqual([
    'ALL_PROXY names a proxy of the kind socks5. Write http://host:port, or http://name:password@host:port.',
  ])
  expect(readOutgoing({}).https).toBeNull()
})

describe('the proxies of the system', () => {
  // Mutation: without `dispatcher` in `outgoingFetch`, the host is not found.
  it('lead each host its own way, as long as the environment names none', async () => {
    const server = await openServer()
    const [one, other] = [await openProxy(server.port), await openProxy(server.port)]
    const asked: string[] = []
    const findProxy = async (url: string) => {
      asked.push(url)
      return url.includes('one.example') ? `SOCKS5 x:1; PROXY 127.0.0.1:${one.port}` : `PROXY 127.0.0.1:${other.port}`
    }
    open.push(applyOutgoing({}, findProxy))
    for (const url of ['http://one.example/?token=secret', 'http://two.example/', `http://127.0.0.1:${server.port}/`])
      expect(await (await outgoingFetch(url)).text()).toBe('the server')
    expect([one.asked, other.asked]).toEqual([['CONNECT one.example:80'], ['CONNECT two.example:80']])
    // No path, and nothing about this machine.
    expect(asked).toEqual(['http://one.example/', 'http://two.example/'])
    open.pop()?.[Symbol.dispose]()
    const named = await openProxy(server.port)
    open.push(applyOutgoing({ HTTP_PROXY: `http://127.0.0.1:${named.port}` }, findProxy))
    await outgoingFetch('http://one.example/')
    expect([named.asked.length, one.asked.length]).toEqual([1, 1])
  })

  it('are named when they ask for a login', async () => {
    const proxy = await openProxy(1, 'me:secret')
    open.push(applyOutgoing({}, async () => `PROXY 127.0.0.1:${proxy.port}`))
    const error = await outgoingFetch('https://models.example/').catch((thrown: unknown) => thrown)
    expect([isRefusedByProxy(error), reasonOf(error)]).toEqual([
      true,
      expect.stringMatching(/^the proxy http:\/\/127\.0\.0\.1:\d+ asks for a login/),
    ])
  })

  it.each([
    ['DIRECT', null],
    ['PROXY proxy.example:3128; DIRECT', 'http://proxy.example:3128'],
    [' https proxy.example:443 ', 'https://proxy.example'],
    ['SOCKS5 a:1; DIRECT; PROXY b:2', null],
    ['SOCKS a:1', null],
    ['PROXY', null],
    ['', null],
  ])('are read from %j', (list, proxy) => {
    expect(readProxyList(list)).toBe(proxy)
  })
})

describe('certificates', () => {
  // Another process, because what is trusted stays.
  async function ask(url: string, environment: Readonly<Record<string, string>>, times = 1) {
    const script = `import { applyOutgoing, isCertificateProblem, outgoingFetch, reasonOf } from ${JSON.stringify(import.meta.resolve('./outgoing.ts'))}
    const { PLACE_OF_FILE, PLACE_OF_FOLDER } = process.env
    applyOutgoing({ SSL_CERT_FILE: PLACE_OF_FILE, SSL_CERT_DIR: PLACE_OF_FOLDER })
    const say = (error) => (isCertificateProblem(error) ? 'certificate: ' : '') + reasonOf(error)
    const once = () => outgoingFetch(${JSON.stringify(url)}).then((one) => one.text(), say)
    process.stdout.write((await Promise.all(Array.from({ length: ${times} }, once))).join(' '))`
    const env = { PATH: process.env.PATH, ...environment }
    return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })).stdout
  }

  // Node and OpenSSL read other variables than these, so only the app can have read the files.
  it.skipIf(!hasOpenssl)(
    'are trusted that the environment names as a file or in a folder, and problems are told in words',
    async () => {
      const { key, certificate } = makeCertificate()
      const [secret, shown] = [readFileSync(key), readFileSync(certificate, 'utf8')]
      const port = await listen(
        https.createServer({ key: secret, cert: shown }, (_, response) => response.end('trusted')),
      )
      const folder = mkdtempSync(join(tmpdir(), 'coppice-authorities-'))
      writeFileSync(join(folder, 'own.pem'), `words\r\n${secret}${shown.replaceAll('\n', '\r\n')}`)
      writeFileSync(join(folder, 'broken.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
      const url = `https://localhost:${port}/`
      expect(await ask(url, { PLACE_OF_FILE: join(folder, 'own.pem') })).toBe('trusted')
      // Mutation: with `trustsAll` as it is when the error comes, only the first of several at once is sent again.
      expect(await ask(url, { PLACE_OF_FILE: join(folder, 'own.pem') }, 3)).toBe('trusted trusted trusted')
      expect(await ask(url, { PLACE_OF_FOLDER: folder })).toBe('trusted')
      expect(await ask(url, { PLACE_OF_FILE: join(folder, 'broken.pem') })).toMatch(
        /^certificate: its certificate is signed by nobody but itself .*NODE_EXTRA_CA_CERTS/,
      )
      expect(await ask(`https://127.0.0.1:${port}/`, { PLACE_OF_FILE: join(folder, 'own.pem') })).toMatch(
        /^certificate: its certificate is for another host\. Check the address/,
      )
      expect(readAuthorities({ NODE_EXTRA_CA_CERTS: join(folder, 'broken.pem'), SSL_CERT_DIR: folder })).toMatchObject({
        named: [`SSL_CERT_DIR (${folder})`],
        problems: [
          `NODE_EXTRA_CA_CERTS names ${join(folder, 'broken.pem')}, which holds no certificate that can be read.`,
        ],
      })
    },
  )

  it.each([
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_NOT_YET_VALID', /not valid yet. See that the clock/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /by nobody but itself \(said\)/],
  ])('have a sentence for %s', (code, sentence) => {
    expect(certificateProblem(Object.assign(new Error('said'), { code }))).toMatch(sentence)
    expect(certificateProblem(Object.assign(new Error('said'), { code: 'ECONNRESET' }))).toBeNull()
  })
})
