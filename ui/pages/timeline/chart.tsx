import { type RefObject, useEffect, useRef } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import type { Shown } from "./move-span.ts"

export type ChartContent = { options: Omit<uPlot.Options, "width">; data: uPlot.AlignedData }

type Properties = {
  /** A description of the chart; the table below has all the data. */
  label: string
  /** A new value redraws the chart. */
  content: ChartContent
  shown: Shown
  chartRef?: RefObject<uPlot | null>
}

/** A chart as wide as its place, showing one span of time. */
export function Chart({ label, content, shown, chartRef }: Properties) {
  const place = useRef<HTMLDivElement>(null)
  const own = useRef<uPlot | null>(null)
  const span = useRef(shown)
  useEffect(() => {
    span.current = shown
    own.current?.setScale("x", { min: shown.from, max: shown.to })
  }, [shown])
  useEffect(() => {
    const element = place.current
    if (!element) return
    const { options, data } = content
    const chart = new uPlot({ ...options, width: element.clientWidth }, data, element)
    chart.setScale("x", { min: span.current.from, max: span.current.to })
    own.current = chart
    if (chartRef) chartRef.current = chart
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: options.height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
      own.current = null
      if (chartRef) chartRef.current = null
    }
  }, [content, chartRef])
  return <div ref={place} className="chart" role="img" aria-label={label} />
}
