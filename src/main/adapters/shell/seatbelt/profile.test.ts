import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide } from './decide.testkit.ts'
import { type SeatbeltRules, writeProfile } from './profile.ts'

const rules: SeatbeltRules = {
  readable: ['/usr', '/opt/tools', '/Users/me/.nvm'],
  links: ['/etc'],
  hidden: ['/opt/tools/.npmrc', '/Users/me/project'],
  given: ['/private/tmp/given'],
  writable: ['/Users/me/Library/Coppice/views/1/files', '/private/tmp/view'],
  places: [],
  proxyPort: 4321,
  judgesCertificates: false,
  loopback: [],
  localPorts: [],
  sockets: [],
}
const profile = writeProfile(rules)
const may = (operation: string, subject: string, changed: Partial<SeatbeltRules> = {}) =>
  decide(writeProfile({ ...rules, ...changed }), operation, subject)

describe('a command on macOS', () => {
  it.each(['/usr/bin/ls', '/opt/tools/bin/x', '/Users/me/.nvm/v24/bin/node', '/private/tmp/given/a', '/etc', '/'])(
    'reads %s and cannot write to it',
    (path) => {
      expect([may('file-read-data', path), may('file-write-data', path), may('file-write-create', path)]).toEqual([
        true,
        false,
        false,
      ])
    },
  )

  it.each([
    '/Users/me/.ssh/id_ed25519',
    '/Users/me/Documents/a',
    '/Users/me/project/src/a.ts',
    '/opt/tools/.npmrc',
    '/Users/other/a',
    '/private/etc/master.passwd',
    '/private/var/folders/x/T/other/file',
    '/System/Volumes/Data/Users/me/.ssh/id_ed25519',
    '/Volumes/backup/a',
    '/usrx/a',
    '/dev/ttys001',
    '/dev/disk0',
  ])('neither reads nor writes %s, nor starts it', (path) => {
    expect(
      ['file-read-data', 'file-write-data', 'file-write-create', 'file-write-unlink', 'process-exec'].map((operation) =>
        may(operation, path),
      ),
    ).toEqual(Array(5).fill(false))
  })

  it('writes to its view, although that lies in a hidden home', () => {
    const file = '/Users/me/Library/Coppice/views/1/files/src/a.ts'
    expect([may('file-write-create', file), may('process-exec', file), may('file-write-setugid', file)]).toEqual([
      true,
      true,
      false,
    ])
    expect(may('file-read-metadata', '/Users/me/Library')).toBe(true)
    expect(may('file-read-data', '/Users/me/Library')).toBe(false)
  })

  it('reaches the proxy alone, and the ports of this machine that a person granted', () => {
    const reached = (changed: Partial<SeatbeltRules>) =>
      ['tcp localhost:4321', 'tcp localhost:5432', 'tcp 93.184.216.34:443'].map((to) =>
        may('network-outbound', to, changed),
      )
    expect(reached({})).toEqual([true, false, false])
    expect(reached({ proxyPort: null })).toEqual([false, false, false])
    expect(reached({ loopback: [5432] })).toEqual([true, true, false])
    expect(reached({ loopback: ['*'] })).toEqual([true, true, false])
    expect(reached({ localPorts: [5432] })).toEqual([true, true, false])
    expect(may('network-bind', 'tcp localhost:5432', { localPorts: [5432] })).toBe(false)
    expect([
      may('network-bind', 'tcp localhost:3000'),
      may('network-bind', 'tcp localhost:3000', { loopback: ['*'] }),
    ]).toEqual([false, true])
  })

  it('opens sockets in its own folders, and of the system or of Docker only what a person granted', () => {
    const open = ['/private/tmp/view/s', '/private/var/run/mDNSResponder', '/private/var/run/docker.sock', '/usr/s']
    expect(open.map((socket) => may('network-outbound', socket))).toEqual([true, false, false, false])
    const granted = { sockets: ['/private/var/run/docker.sock'] }
    expect(open.map((socket) => may('network-outbound', socket, granted))).toEqual([true, false, true, false])
  })

  it.each([
    'com.apple.SecurityServer',
    'com.apple.securityd.xpc',
    'com.apple.pasteboard.1',
    'com.apple.coreservices.launchservicesd',
    'com.apple.trustd.agent',
    'com.apple.cfprefsd.agent',
  ])('does not reach the service %s', (service) => {
    expect(may('mach-lookup', service)).toBe(false)
  })

  it('lets the system judge certificates once hosts are granted', () => {
    expect(may('mach-lookup', 'com.apple.trustd.agent', { judgesCertificates: true })).toBe(true)
  })

  it('signals and sees its own processes alone', () => {
    expect(['same-sandbox', 'others'].map((target) => may('signal', target))).toEqual([true, false])
    expect(may('sysctl-read', 'kern.procargs2')).toBe(false)
  })

  it.each(['system-privilege', 'mach-register', 'file-mount', 'appleevent-send', 'forbidden-exec-sugid', 'lsopen'])(
    'never gets %s',
    (operation) => expect(may(operation, '/private/tmp/view/a')).toBe(false),
  )

  it('has no rule without a filter when nothing is listed', () => {
    const empty = {
      readable: [],
      links: [],
      hidden: [],
      given: [],
      writable: [],
      places: [],
      proxyPort: null,
      loopback: [],
      localPorts: [],
      sockets: [],
    }
    expect(may('file-write-data', '/Users/me/a', empty)).toBe(false)
    expect(may('file-read-data', '/Users/me/a', empty)).toBe(false)
  })

  it('refuses by default', () => expect(profile.split('\n')[1]).toBe('(deny default)'))
})

const name = fc.stringMatching(/^[a-c"\\() ]{1,4}$/).filter((text) => text !== '.' && text !== '..')
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`)
const isBelow = (file: string, folders: readonly string[]) =>
  folders.some((folder) => file === folder || file.startsWith(`${folder}/`))

it('holds the law of the layers for any paths, whatever characters their names have', () => {
  const some = fc.array(path, { maxLength: 4 })
  fc.assert(
    fc.property(some, some, some, some, path, (readable, hidden, given, writable, file) => {
      const text = writeProfile({ ...rules, readable, hidden, given, writable, links: [] })
      const writes = isBelow(file, writable)
      const reads = writes || isBelow(file, given) || (isBelow(file, readable) && !isBelow(file, hidden))
      expect(decide(text, 'file-write-data', file)).toBe(writes)
      expect(decide(text, 'file-read-data', file)).toBe(reads)
      expect(decide(text, 'process-exec', file)).toBe(reads)
    }),
  )
})

/** Noticed: a place that may only be read, inside one that may be changed, could be changed. */
it('lets the last place that holds a path decide whether it may be changed, as mounts do', () => {
  const places = fc.array(fc.record({ folder: path, writable: fc.boolean() }), { maxLength: 5 })
  fc.assert(
    fc.property(places, path, (beside, file) => {
      const text = writeProfile({
        ...rules,
        readable: [],
        hidden: [],
        given: [],
        writable: [],
        links: [],
        places: beside,
      })
      const last = beside.findLast(({ folder }) => isBelow(file, [folder]))
      expect(decide(text, 'file-write-data', file)).toBe(last?.writable ?? false)
      expect(decide(text, 'file-read-data', file)).toBe(last !== undefined)
    }),
  )
})
