/** An OpenAPI document as a page: every call with its parameters and what it may answer. */
export function describeApi({ info, paths }) {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => describeCall(`${method.toUpperCase()} ${path}`, call)),
  )
  return [
    `# HTTP API`,
    info.description ?? "",
    "The whole of it, with schemas: [openapi.json](openapi.json).",
    ...calls,
  ].join("\n\n")
}

function describeCall(title, { summary, description, parameters = [], requestBody, responses = {} }) {
  const rows = parameters.map(
    ({ name, in: place, required, description: words }) =>
      `| \`${name}\` | ${place}${required ? ", needed" : ""} | ${words ?? ""} |`,
  )
  return [
    `## \`${title}\``,
    summary ?? "",
    description ?? "",
    rows.length > 0 ? ["| parameter | where | what |", "|---|---|---|", ...rows].join("\n") : "",
    requestBody ? "Takes a body of JSON." : "",
    `Answers ${Object.entries(responses)
      .map(([status, { description: words }]) => `\`${status}\` ${words ?? ""}`.trim())
      .join(", ")}.`,
  ]
    .filter(Boolean)
    .join("\n\n")
}
