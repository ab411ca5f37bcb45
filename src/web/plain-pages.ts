/** Takes the browser on to the app: by itself, so that the cookie counts as the app's own. */
export const goingInPage = page(
  '<meta http-equiv="refresh" content="0;url=/">',
  '<p>Opening Drey… <a href="/">Go on</a></p>',
)

export const lockedPage = page(
  "",
  "<h1>This link is no longer valid</h1><p>A link lets in one browser, once. Run <code>drey ui</code> again for a new one.</p>",
)

export const missingPage = page(
  "",
  "<h1>The app is not here</h1><p>This copy of Drey was built without it: <code>npm run build</code> builds both.</p>",
)

function page(head: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Drey</title>${head}</head><body>${body}</body></html>`
}
