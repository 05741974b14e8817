import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createMemorySharedTexts } from '../../ports/stores/shared-texts.testkit.ts'
import { describeBackend } from './backends.contract.ts'
import { openRouted } from './backends.testkit.ts'

const at = (path: string) => path as VirtualPath
const bytes = (text: string) => new TextEncoder().encode(text)
const usual = '/place/'

describeBackend('the memory of a thread', () => openRouted([{ usual, backend: { kind: 'scratch', owner: 'thread' } }]))
describeBackend('the store of a project', () => openRouted([{ usual, backend: { kind: 'scratch', owner: 'project' } }]))
describeBackend('the store of a user', () =>
  openRouted([{ usual, backend: { kind: 'shared', texts: createMemorySharedTexts() } }]),
)

describe('durable texts', () => {
  it.each([
    ['of a project', { kind: 'scratch', owner: 'project' } as const],
    ['of a user', { kind: 'shared', texts: createMemorySharedTexts() } as const],
  ])('%s are text without apparent secrets', async (_, backend) => {
    const { begin } = await openRouted([{ usual, backend }])
    const write = (content: Uint8Array) => begin().write(at('/place/a'), content)
    await expect(write(bytes('AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'))).rejects.toThrow(
      'secret',
    )
    await expect(write(new Uint8Array([0xff, 0xfe]))).rejects.toThrow('text files')
    await expect(write(new Uint8Array(1024 * 1024 + 1).fill(97))).rejects.toThrow('at most')
  })

  it('of a user are not overwritten when another process changed them during the call', async () => {
    const texts = createMemorySharedTexts()
    const { begin } = await openRouted([{ usual, backend: { kind: 'shared', texts } }])
    const [mine, other] = [begin(), begin()]
    await mine.write(at('/place/a'), bytes('mine'))
    await other.write(at('/place/a'), bytes('other'))
    await other.commitOutside()
    await expect(mine.commitOutside()).rejects.toMatchObject({ code: 'refused' })
    expect(new TextDecoder().decode(await begin().read(at('/place/a')))).toBe('other')
  })

  it('keep their names when the project takes the name of their place', async () => {
    const texts = createMemorySharedTexts()
    const backend = { kind: 'shared', texts } as const
    const first = (await openRouted([{ usual, backend }])).begin()
    await first.write(at('/place/a'), bytes('x'))
    await first.commitOutside()
    const second = (await openRouted([{ usual, backend }], { '/place/own': 'y' })).begin()
    expect(new TextDecoder().decode(await second.read(at('/place-1/a')))).toBe('x')
  })
})
