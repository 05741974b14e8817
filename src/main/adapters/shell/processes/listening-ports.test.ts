import { expect, it } from 'vitest'
import { listeningPorts } from './listening-ports.ts'

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
