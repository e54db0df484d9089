// The program's parser by name alone: who only hands it on need not compile its header.
#pragma once

namespace CLI {
class App;
}
