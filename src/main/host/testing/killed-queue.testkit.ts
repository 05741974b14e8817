import { branches, makeBranches, openWindowHost, placesIn } from './queue-world.testkit.ts'

// A process to be killed while the second of three merges is checked. It says so when it is.
const [above = ''] = process.argv.slice(2)
const host = await openWindowHost(above)
const project = await host.projects.open(placesIn(above).folder)
makeBranches(project)
project.events.listen(() => {
  const states = project.checks.queue.view()?.branches.map(({ state }) => state) ?? []
  if (states[1]?.kind === 'checking' && states[1].check !== '') process.stdout.write('checking\n')
})
project.checks.queue.add(branches)
