import { expect, it } from 'vitest'
import { updateProxy } from './update-proxy.ts'

it('updates take the proxy of the environment, with its login apart, and the way of the system without one', () => {
  const environment = {
    HTTPS_PROXY: 'http://CORP%5Cme:p@ss@proxy.example:3128',
    NO_PROXY: 'own.example,.other.example',
  }
  expect(updateProxy(environment)).toEqual({
    rules: 'https=http://proxy.example:3128',
    direct: 'own.example,*.own.example,.other.example,localhost,*.localhost,127.0.0.1,[::1],::1',
    login: { name: 'CORP\\me', password: 'p@ss' },
  })
  expect(updateProxy({ http_proxy: 'proxy.example:1' })).toMatchObject({
    rules: 'https=http://proxy.example:1;http=http://proxy.example:1',
    login: null,
  })
  expect(updateProxy({})).toBeNull()
})
