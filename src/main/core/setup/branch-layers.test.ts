import { describe, expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import { chooseLayers } from './branch-layers.ts'

const layers = (...names: readonly string[]) => names as readonly LayerId[]
const choose = (own: readonly LayerId[], shown = own.length) =>
  chooseLayers({ own, base: layers('new'), earlier: [layers('old'), layers('older')], shown })

describe('a branch begins with the setup', () => {
  it('when it has nothing of its own', () => {
    expect(choose([])).toEqual({ layers: layers('new'), news: 'began' })
  })

  it('and follows it when it changes, as long as it adds nothing', () => {
    expect(choose(layers('older'))).toEqual({ layers: layers('new'), news: 'newer' })
    expect(choose(layers('new'))).toEqual({ layers: layers('new'), news: null })
  })

  it('and keeps what it added, also on top of an older one', () => {
    expect(choose(layers('new', 'own'))).toEqual({ layers: layers('new', 'own'), news: null })
    expect(choose(layers('old', 'own'))).toEqual({ layers: layers('old', 'own'), news: 'kept' })
    expect(choose(layers('own'))).toEqual({ layers: layers('own'), news: 'kept' })
  })

  it('again when nothing of what it had can be shown', () => {
    expect(choose(layers('old', 'own'), 0)).toEqual({ layers: layers('new'), news: 'lost' })
    expect(choose(layers('old'), 0)).toEqual({ layers: layers('new'), news: 'lost' })
  })

  it('which may have left nothing', () => {
    const nothing = { base: [], earlier: [], shown: 1 }
    expect(chooseLayers({ ...nothing, own: [] })).toEqual({ layers: [], news: 'began' })
    expect(chooseLayers({ ...nothing, own: layers('own') })).toEqual({ layers: layers('own'), news: 'kept' })
  })
})
