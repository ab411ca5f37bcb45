/** Takes the browser from a file of the user's on to a link. */
export function redirectPage(url: string): string {
  const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;")
  return page(
    `<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${address}">`,
    `<p>Opening Drey… <a href="${address}">Continue</a></p>`,
  )
}

export const missingPage = page(
  "",
  "<h1>The app is not installed</h1><p>This copy of Drey was built without it. Run <code>npm run build</code>.</p>",
)

function page(head: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Drey</title>${head}</head><body>${body}</body></html>`
}
