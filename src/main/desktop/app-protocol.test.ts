import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serveRenderer } from './app-protocol.ts'
import { stoppedPage } from './plain-page.ts'
import { recordElectron } from './recorded-electron.testkit.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-desktop-'))

describe('the app protocol', () => {
  it('serves the built page with its policy, and nothing else', async () => {
    const built = folder()
    mkdirSync(join(built, 'assets'))
    writeFileSync(join(built, 'index.html'), '<p>hello</p>')
    writeFileSync(join(built, 'assets/a.js'), '1')
    const { electron, of } = recordElectron()
    serveRenderer(electron, built)
    const handle = of('protocol.handle')[0]?.[1] as (request: Request) => Response
    const page = handle(new Request('app://coppice/'))
    expect(await page.text()).toBe('<p>hello</p>')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/)
    expect(handle(new Request('app://coppice/assets/a.js')).headers.get('content-type')).toContain('javascript')
    for (const url of [
      'app://other/index.html',
      'app://coppice/../package.json',
      'app://coppice/%2e%2e/x',
      'app://coppice/none',
    ]) {
      expect(handle(new Request(url)).status, url).toBe(404)
    }
    expect(handle(new Request('app://coppice/', { method: 'POST' })).status).toBe(404)
  })

  it('serves a page without scripts that names the log, under the same policy', async () => {
    const { electron, of } = recordElectron()
    serveRenderer(electron, folder(), stoppedPage('/home/me/<b>&"log'))
    const handle = of('protocol.handle')[0]?.[1] as (request: Request) => Response
    const page = handle(new Request('app://coppice/stopped.html'))
    const text = await page.text()
    expect(text).toContain('/home/me/&lt;b&gt;&amp;&quot;log')
    expect(text).not.toMatch(/<script|<b>/)
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  })
})
