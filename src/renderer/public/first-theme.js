// Shows the chosen theme before anything is painted. The window's own script is larger and comes later.
try {
  for (const [name, choices] of [
    ['theme', ['light', 'dark']],
    ['contrast', ['more']],
  ]) {
    const chosen = localStorage.getItem(`coppice-${name}`)
    if (choices.includes(chosen)) document.documentElement.dataset[name] = chosen
  }
} catch {
  // Without its storage the window looks as the system says.
}
