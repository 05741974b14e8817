/** What a person hears without looking. */
export type Sound = 'needsYou' | 'done' | 'failed'

/** Each tone with its pitch in hertz and its start in seconds. Rising calls, falling says that something went wrong. */
const tones: Readonly<Record<Sound, readonly (readonly [number, number])[]>> = {
  needsYou: [
    [660, 0],
    [880, 0.14],
  ],
  done: [
    [523, 0],
    [659, 0.1],
    [784, 0.2],
  ],
  failed: [
    [370, 0],
    [247, 0.18],
  ],
}
const seconds = 0.22
const loudness = 0.08

let context: AudioContext | null = null
let last = 0
/** Milliseconds between two sounds: of many that come at once, a person hears one. */
const apart = 1_000

/** Plays a short sound that is made on the spot. Silent where the browser lets no page sound before it was clicked. */
export function playSound(sound: Sound): void {
  const now = performance.now()
  if (!('AudioContext' in window) || (last > 0 && now - last < apart)) return
  last = now
  context ??= new AudioContext()
  if (context.state === 'running') playTones(context, sound)
  else void playAwake(context, sound, now).catch(() => undefined)
}

/** Browsers hold a page's sound back until the person used it. What comes late is left out: all of it would sound at once. */
async function playAwake(audio: AudioContext, sound: Sound, since: number): Promise<void> {
  await audio.resume()
  if (performance.now() - since < apart) playTones(audio, sound)
}

function playTones(audio: AudioContext, sound: Sound): void {
  for (const [pitch, start] of tones[sound]) playTone(audio, pitch, audio.currentTime + start)
}

function playTone(audio: AudioContext, pitch: number, start: number): void {
  const tone = audio.createOscillator()
  const volume = audio.createGain()
  tone.type = 'sine'
  tone.frequency.value = pitch
  volume.gain.setValueAtTime(0, start)
  volume.gain.linearRampToValueAtTime(loudness, start + 0.02)
  volume.gain.exponentialRampToValueAtTime(0.0001, start + seconds)
  tone.connect(volume).connect(audio.destination)
  tone.start(start)
  tone.stop(start + seconds)
}
