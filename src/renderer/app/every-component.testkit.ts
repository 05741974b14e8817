import './app.css'
import { toast } from 'sonner'
import { afterEach, beforeEach, expect } from 'vitest'
import { cleanup } from 'vitest-browser-react'
import { seriousInSight } from './axe.testkit.ts'

/**
 * What every test of a component shares. The files of one page of the browser run in the same document, so packages and
 * styles are loaded once. Each test begins with an empty one, and axe examines what it leaves in sight.
 */
beforeEach(async () => {
  await cleanup()
  document.body.replaceChildren()
  toast.dismiss()
  localStorage.clear()
  sessionStorage.clear()
  delete document.documentElement.dataset.theme
})

afterEach(async () => expect(await seriousInSight(), 'what axe finds serious').toEqual([]))
