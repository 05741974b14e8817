import { expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { newestUnits } from './environment.ts'
import type { Layer } from './layer-store.ts'

function layer(id: string, ...paths: readonly string[]): Layer {
  const units = paths.map((path) => ({ path: path as VirtualPath, stamp: '' }))
  return { id: id as LayerId, files: '', homeFiles: '', units, opaque: [], home: false }
}

it('copies each path once, from its newest layer, and a path inside another after it', () => {
  const layers = [
    layer('1', '/dist', '/lib/out'),
    layer('2', '/dist'),
    layer('3', '/a.log', '/lib'),
    layer('4', '/lib/out/b'),
  ]
  expect(newestUnits(layers).map((one) => `${one.layer.id} ${one.path}`)).toEqual([
    '2 /dist',
    '3 /lib',
    '3 /a.log',
    '4 /lib/out/b',
  ])
})
