-- wrk: each request is another visitor's. The argument names a file with one cookie header a line.
local requests, turn = {}, 0

function init(arguments)
  for cookie in io.lines(arguments[1]) do
    wrk.headers["cookie"] = cookie
    requests[#requests + 1] = wrk.format("GET")
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end
