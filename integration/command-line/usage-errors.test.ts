import { join } from 'node:path'
import { expect, it } from 'vitest'
import { coppice, fixture, folder } from './coppice.testkit.ts'

for (const [args, message] of [
  [['run', fixture], 'run needs --task'],
  [['run', fixture, '--task', ' '], 'The task is empty'],
  [['run', fixture, '--task', 'x', '--approve', 'maybe'], '--approve takes ask, effects, all, none'],
  [['run', fixture, '--task', 'x', '--max-iterations', '0'], '--max-iterations takes a whole number'],
  [['run', fixture, '--task', 'x', '--allow-host', 'https://example.com'], 'Write only the name of its host'],
  [['resume', 'x', '--allow-host', 'example.com,*'], 'would be every host'],
  [['run', fixture, '--task', 'x', '--allow-port', '70000'], '"70000" is no port. Ports go from 1 to 65535.'],
  [['resume', 'x', '--allow-socket', '/etc/hostname'], '/etc/hostname is no socket. Start the program that makes it'],
  [['run', fixture, '--task', 'x', '--nonsense'], "Unknown option '--nonsense'"],
  [['run', fixture, '--task', '@/does/not/exist'], 'cannot read /does/not/exist'],
  [['run', fixture, '--task', '@/dev/zero'], '--task: cannot read /dev/zero: it holds more than 16 MB'],
  [['run', fixture, '--task', 'x', '--output-schema', '/dev/zero'], 'it holds more than 16 MB'],
  [['run', fixture, '--task', 'x', '--input', '/dev/zero'], 'larger than 20 MB'],
  [['run', fixture, '--replay', '/dev/zero'], 'it holds more than 256 MB'],
  [['resume', 'x', '--decisions', '/dev/zero'], 'it holds more than 16 MB'],
  [['run', fixture, '--task', 'x', '--patch', fixture], 'is a folder'],
  [['run', fixture, '--task', 'x', '--patch', '/no/such/place/x.patch'], 'there is no folder /no/such/place'],
  [['run', fixture, '--task', 'x', '--settings', fixture], '--settings: there is no file'],
  [['run', fixture, '--task', 'x', '--model', ''], '--model needs a value'],
  [['resume'], 'resume needs a thread'],
  [['export', 'x'], 'export needs --patch'],
  [['serve', '--port', 'http'], '--port takes a whole number'],
] as const) {
  it(`usage error: ${message}`, async () => {
    const result = await coppice([...args, '--data-dir', folder()])
    expect(result.code).toBe(2)
    expect(result.stderr).toContain(message)
    expect(result.stderr).toContain('--help')
  })
}

for (const [command, place, message] of [
  [['run', fixture, '--task', 'x'], '/proc/none', 'cannot be used: this place holds no files of yours'],
  [['doctor'], join(fixture, 'package.json'), 'is a file'],
  [['threads'], join(fixture, 'package.json'), 'is a file'],
] as const) {
  it(`${command[0]} refuses the data folder ${place} in one sentence`, async () => {
    const { code, stderr } = await coppice([...command, '--data-dir', place])
    expect(stderr).toBe(
      `coppice: The data folder ${place} ${message}. Choose another with --data-dir or COPPICE_DATA_DIR.\n`,
    )
    expect(code).toBe(2)
  })
}
