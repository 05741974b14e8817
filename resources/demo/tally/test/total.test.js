import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/total.js'

test('adds amounts to the cent', () => {
  assert.equal(total([{ amount: 0.1 }, { amount: 0.2 }]), 0.3)
})
