// Declares the program's parser by name only: files that just pass it on need not compile its header.
#pragma once

namespace CLI {
class App;
}
