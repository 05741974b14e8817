import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listeningPorts, portsOfTree } from './listening-ports.ts'

const head = '  sl  local_address rem_address   st tx_queue'

it('reads what listens from the tables of the kernel', () => {
  const v4 = `${head}
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000
   1: 0100007F:0BB8 0100007F:D431 01 00000000:00000000
   2: 00000000:1F90 00000000:0000 0A 00000000:00000000
`
  const v6 = `${head}
   0: 00000000000000000000000001000000:1435 00000000000000000000000000000000:0000 0A 00000000:00000000
   1: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000
`
  expect(listeningPorts({ v4, v6 })).toEqual([
    { port: 3000, family: 'v4' },
    { port: 5173, family: 'v6' },
    { port: 8080, family: 'v4' },
  ])
  expect(listeningPorts({ v4: '', v6: '' })).toEqual([])
})

it.runIf(process.platform === 'linux')('finds who listens, and nobody else', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  expect(await portsOfTree(process.pid)).toContain(port)
  expect(await portsOfTree(2 ** 22 + 1)).toEqual([])
})
