import axe from 'axe-core'

/** What can differ between two themes. All other rules look at the elements. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** Returns what keeps somebody from using what is in sight, a line each, in the light theme and in the dark one. */
export async function seriousInSight(): Promise<readonly string[]> {
  const { dataset } = document.documentElement
  const before = dataset.theme
  // A colour on its way from one theme to the other belongs to neither.
  const still = document.head.appendChild(document.createElement('style'))
  still.textContent = '*, ::before, ::after { transition: none !important; animation: none !important }'
  try {
    dataset.theme = 'light'
    const light = await seriousBy({})
    dataset.theme = 'dark'
    return [...light, ...(await seriousBy({ runOnly: { type: 'rule', values: colourRules } }))]
  } finally {
    still.remove()
    if (before === undefined) delete dataset.theme
    else dataset.theme = before
  }
}

async function seriousBy(options: axe.RunOptions): Promise<readonly string[]> {
  const { violations } = await axe.run(document.body, { resultTypes: ['violations'], ...options })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`))
}
