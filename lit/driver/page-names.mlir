// Names and places of a program are text in its page, whatever they look like: a comment with an open script tag in it would swallow the rest of the page, and so
// the data hold no '<' at all.
// RUN: ballast-opt %s --remat="cap=15 swap=false work-limit=100 report=%t.html" -o /dev/null
// RUN: sed -n '/id="data">/ { s/.*id="data">//; s/<.script>$//; p }' %t.html > %t.data
// RUN: FileCheck %s --check-prefix=DATA --input-file=%t.data
// RUN: not grep '<' %t.data
// DATA: "locations":["\u003c!--\u003cscript>","\u003c/script>",
// DATA-SAME: "function":"\u003c!--\u003cscript"
// RUN: not grep '<!--' %t.html
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t.html
// PAGE: <h1>@&lt;!--&lt;script on 1 device</h1>
// PAGE: <span title="&lt;!--&lt;script&gt;">

func.func @"<!--<script"(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32> loc("<!--<script>")
  %b = math.sin %a : tensor<1xf32> loc("</script>")
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
